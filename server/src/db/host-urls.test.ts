import { expect, test } from 'vitest';
import { parseDatabaseUrl } from './hosts.ts';

test.each([
  ['postgres://u:p@db/name', ['postgres://u:p@db/name'], false],
  [
    'postgresql://u:p@one:5433,two:/name?target_session_attrs=read-write',
    ['postgresql://u:p@one:5433/name', 'postgresql://u:p@two:/name'],
    true,
  ],
  [
    'postgres://[::1]:5433,[fe80::2]/name?sslmode=verify-full&target_session_attrs=primary',
    ['postgres://[::1]:5433/name?sslmode=verify-full', 'postgres://[fe80::2]/name?sslmode=verify-full'],
    true,
  ],
  [
    'postgres://u:p%40%2C%2F@one,two/n',
    ['postgres://u:p%40%2C%2F@one/n', 'postgres://u:p%40%2C%2F@two/n'],
    false,
  ],
  ['postgres:///name?host=/run/pg', ['postgres:///name?host=%2Frun%2Fpg'], false],
  ['postgres://u@%2Frun%2Fpg/name', ['postgres://u@%2Frun%2Fpg/name'], false],
  [
    'postgres://u@/name?host=/run/a,/run/b&port=5433&target_session_attrs=any',
    ['postgres://u@/name?host=%2Frun%2Fa&port=5433', 'postgres://u@/name?host=%2Frun%2Fb&port=5433'],
    false,
  ],
  [
    'postgres:///n?host=one,two&port=1,2',
    ['postgres:///n?host=one&port=1', 'postgres:///n?host=two&port=2'],
    false,
  ],
])('%s is read as its hosts', (text, urls, mustBeWritable) => {
  expect(parseDatabaseUrl(text)).toEqual({ urls, mustBeWritable, options: '' });
});

test.each([
  ['mysql://db/name', 'must be a URL that begins with postgres:// or postgresql://'],
  ['postgres://one,,two/name', 'has an empty host in its list'],
  ['postgres://one,/name', 'has an empty host in its list'],
  ['postgres://one,two:70000/name', 'has a port that is not a number from 1 to 65535'],
  [
    'postgres://one,two:x/name',
    'must list its hosts as host, host:port or [IPv6 address]:port, comma-separated',
  ],
  [
    'postgres://one,fe80::1/name',
    'must list its hosts as host, host:port or [IPv6 address]:port, comma-separated',
  ],
  ['postgres:///n?host=a,b&port=1,2,3', 'must have one port, or as many ports as hosts (2)'],
  ['postgres://a,b/n?host=c', 'must list its hosts in one place: before the path, or as host= and port='],
  [
    'postgres://one,two/n?target_session_attrs=standby',
    'has a target_session_attrs other than any, read-write and primary',
  ],
  [
    'postgres://u:%zz@one two/n',
    'must be a valid URL: percent-encode special characters in the user and password',
  ],
])('%s is refused in words, without its secrets', (text, words) => {
  expect(() => parseDatabaseUrl(text)).toThrow(new Error(words));
});
