import { expect, test } from 'vitest';
import { isTimeZone } from './time-zone.ts';

test.each(['Europe/Rome', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
  '%s is a time zone',
  (name) => {
    expect(isTimeZone(name)).toBe(true);
  },
);

test.each(['', 'Europe', 'Europe/Rom', '+02:00', 'local', 'system', 'Europe/Rome ', 'GMT+2h', '../etc'])(
  '%j is none',
  (name) => {
    expect(isTimeZone(name)).toBe(false);
  },
);
