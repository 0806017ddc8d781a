import { join } from 'node:path';
import { expect, test } from 'vitest';
import { databaseLost, startFailure } from './service-process.ts';

const bundled = { HOST: '127.0.0.1', PORT: 8400, DATABASE_URL: null, CARILLON_DATA_DIR: '/srv/data' };
const own = { ...bundled, DATABASE_URL: 'postgresql://db.internal/carillon' };
const failed = (message: string, facts: object) => Object.assign(new Error(message), facts);

const taken = failed('listen EADDRINUSE: address already in use', { code: 'EADDRINUSE', syscall: 'listen' });
const elsewhere = failed('listen EADDRNOTAVAIL: address not available 10.1.2.3', {
  code: 'EADDRNOTAVAIL',
  syscall: 'listen',
});
const reserved = failed('listen EACCES: permission denied 127.0.0.1:80', {
  code: 'EACCES',
  syscall: 'listen',
});
const unknown = failed('getaddrinfo ENOTFOUND nowhere.invalid', {
  code: 'ENOTFOUND',
  syscall: 'getaddrinfo',
  hostname: 'nowhere.invalid',
});
const full = failed('could not extend file "base/1/2": No space left on device', { code: '53100' });
const password = failed('password authentication failed for user "carillon"', { code: '28P01' });

const pooler = failed('unsupported startup parameter in options: statement_timeout', { code: '08P01' });

test.each([
  [
    'a pooler that was not declared',
    pooler,
    own,
    'a connection pooler, which says: unsupported startup parameter in options: statement_timeout. Also set CARILLON_DATABASE_DIRECT_URL',
  ],
  ['a port that is taken', taken, bundled, 'Port 8400 on 127.0.0.1 is in use. Set PORT'],
  [
    'an address of another machine',
    elsewhere,
    { ...bundled, HOST: '10.1.2.3' },
    'Set HOST to an address of this machine',
  ],
  [
    'a name of no machine',
    unknown,
    { ...own, HOST: 'nowhere.invalid' },
    'Set HOST to an address of this machine',
  ],
  ['a database that is nowhere', unknown, own, 'in DATABASE_URL cannot be used: getaddrinfo ENOTFOUND'],
  ['a port for root alone', reserved, { ...bundled, PORT: 80 }, 'Set PORT to 1024 or higher'],
  ['a full disk', full, bundled, 'The disk that holds the database of /srv/data is full. Free some space'],
  ['a full disk of a database of their own', full, own, 'in DATABASE_URL cannot be used: could not extend'],
  [
    'a password file of another database',
    password,
    bundled,
    `refuses the password in ${join('/srv/data', 'postgres.password')}. Put the right file back, or delete it`,
  ],
  ['a wrong password', password, own, 'in DATABASE_URL cannot be used: password authentication failed'],
])('%s is said in words', (_name, error, config, words) => {
  const said = startFailure(error, config);
  expect(said).toContain(words);
  expect(said).not.toContain('\n');
});

test('what nobody foresaw is shown with where it happened', () => {
  expect(startFailure(failed('surprise', { code: 'ESURPRISE' }), bundled)).toContain('start-failure.test.ts');
});

test('the last line of a process without a database names the time and the exit code', () => {
  expect(databaseLost(120_400)).toBe(
    'The database has not answered for 120 s. Exiting with code 75, so that a supervisor starts a new process.',
  );
});
