import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { BadDatabaseUrl, parseDatabaseUrl } from '../db/hosts.ts';
import { BadValue, integer, oneOf, setting, text, url, type ValuesOf } from './setting.ts';

const networks = (value: string): string[] =>
  value.split(',').map((part) => {
    const [address = '', bits, ...more] = part.trim().split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (most < 0 || !fits || more.length > 0)
      throw new BadValue('must be addresses or networks, such as 10.0.0.0/8, comma-separated');
    return part.trim();
  });

const databaseUrl = (value: string): string => {
  try {
    parseDatabaseUrl(value);
  } catch (error) {
    if (!(error instanceof BadDatabaseUrl)) throw error;
    throw new BadValue(error.message);
  }
  return value;
};

const roleNames = ['api', 'worker'] as const;
type ProcessRole = (typeof roleNames)[number];

const processRoles = (value: string): ProcessRole[] =>
  value.split(',').map((role) => oneOf(...roleNames)(role.trim()));

/** The other half of the cores is for PostgreSQL and for the threads of each process. */
export function defaultProcesses(cores: number): number {
  return cores < 4 ? 1 : Math.min(Math.floor(cores / 2), 8);
}

const encryptionKeys = (value: string): Buffer[] =>
  value.split(',').map((part) => {
    const key = Buffer.from(part.trim(), 'base64');
    if (key.length !== 32) throw new BadValue('must be 32 bytes in base64 (several: comma-separated)');
    return key;
  });

const apiKey = (kind: 'test' | 'live') => (value: string) => {
  if (!new RegExp(`^crl_${kind}_[0-9A-Za-z]{20,200}$`).test(value)) {
    throw new BadValue(`must be crl_${kind}_ followed by 20 or more letters and digits`);
  }
  return value;
};

/** Pages, cookies and links are at the root of their host. */
const origin = (value: string): string => {
  const read = url('http:', 'https:')(value);
  const { pathname, search, hash } = new URL(read);
  if (pathname !== '/' || search || hash)
    throw new BadValue(
      'must be a host without a path: Carillon needs a (sub)domain of its own, not a folder',
    );
  return read;
};

const password = (value: string): string => {
  if (value.length < 8 || value.length > 200) throw new BadValue('must have 8 to 200 characters');
  return value;
};

const emailAddress = (value: string): string => {
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(value)) throw new BadValue('must be an email address');
  return value.toLowerCase();
};

/** The process, its database, its keys and its network. */
export const serviceSettings = {
  HOST: setting({ read: text, fallback: '127.0.0.1', meaning: 'Address that the service listens on.' }),
  PORT: setting({
    read: integer(0, 65_535),
    fallback: 8400,
    meaning: 'Port for the API, docs and callbacks. 0 picks a free port.',
  }),
  PUBLIC_URL: setting<string | null>({
    read: origin,
    fallback: null,
    shown: 'http://HOST:PORT',
    meaning: 'Public address of the service (links in messages, provider callbacks).',
  }),
  CARILLON_TRUSTED_PROXIES: setting<string[] | null>({
    read: networks,
    fallback: null,
    shown: 'none',
    meaning:
      'Addresses or networks of trusted proxies, comma-separated: `X-Forwarded-For` is only trusted from these. Without it, all users behind a proxy share the throttling of failed sign-ins.',
  }),
  DATABASE_URL: setting<string | null>({
    read: databaseUrl,
    fallback: null,
    shown: 'the bundled PostgreSQL',
    meaning:
      'PostgreSQL 14 or newer. Several hosts, comma-separated, are tried in order; `?target_session_attrs=read-write` passes over standbys. If unset, the bundled PostgreSQL starts and stops with the service.',
    secret: true,
  }),
  CARILLON_DATABASE_DIRECT_URL: setting<string | null>({
    read: databaseUrl,
    fallback: null,
    shown: 'DATABASE_URL',
    meaning:
      'Set this when DATABASE_URL leads to a connection pooler: the URL of the database without the pooler, for connections that need a session (`LISTEN`, migrations, heartbeats).',
    secret: true,
  }),
  CARILLON_DATABASE_READ_URL: setting<string | null>({
    read: databaseUrl,
    fallback: null,
    shown: '–',
    meaning:
      'A streaming standby for lists, exports and the overview. Callers see their own writes; others may see the state of a few seconds ago. Without it, or while it fails or lags, the primary is used.',
    secret: true,
  }),
  CARILLON_DATA_DIR: setting({
    read: (value: string) => resolve(value),
    fallback: resolve('.carillon'),
    shown: './.carillon',
    meaning: 'Directory for the bundled database, generated keys and credentials.json.',
  }),
  CARILLON_ROLES: setting<ProcessRole[]>({
    read: processRoles,
    fallback: ['api', 'worker'],
    shown: 'api,worker',
    meaning: 'Roles of this process. Any number of processes of each role can share a database.',
  }),
  CARILLON_PROCESSES: setting({
    read: integer(1, 64),
    fallback: defaultProcesses(availableParallelism()),
    shown: '1 with fewer than 4 cores, else half the cores, at most 8',
    meaning:
      'Processes that serve the port and do the work. With more than 1, a small supervisor starts them, replaces those that crash, and restarts them one at a time on SIGHUP.',
  }),
  CARILLON_ENCRYPTION_KEY: setting<Buffer[] | null>({
    read: encryptionKeys,
    fallback: null,
    shown: 'generated in the data directory',
    meaning: '32 bytes in base64. With several, comma-separated, the first encrypts and all decrypt.',
    secret: true,
  }),
  CARILLON_BOOTSTRAP_TEST_KEY: setting<string | null>({
    read: apiKey('test'),
    fallback: null,
    shown: 'generated',
    meaning:
      'The first Test key (crl_test_…), for automation. It has full access; one that is generated cannot promote to Live, because the output of the first start shows it.',
    secret: true,
  }),
  CARILLON_BOOTSTRAP_LIVE_KEY: setting<string | null>({
    read: apiKey('live'),
    fallback: null,
    shown: 'generated',
    meaning: 'The first Live key (crl_live_…), for automation.',
    secret: true,
  }),
  CARILLON_ADMIN_EMAIL: setting({
    read: emailAddress,
    fallback: 'admin@carillon.local',
    meaning: 'Email of the first dashboard owner.',
  }),
  CARILLON_ADMIN_PASSWORD: setting<string | null>({
    read: password,
    fallback: null,
    shown: 'generated',
    meaning: 'Password of the first dashboard owner.',
    secret: true,
  }),
  CARILLON_ALLOW_PRIVATE_NETWORK: setting<'none' | 'loopback' | 'all' | null>({
    read: oneOf('none', 'loopback', 'all'),
    fallback: null,
    shown: '`loopback` when HOST and PUBLIC_URL are loopback, else `none`',
    meaning: 'Non-public addresses that outbound calls can reach: none, loopback, all.',
  }),
} as const;

type Values = ValuesOf<typeof serviceSettings>;

/** The bundled database has no pooler. */
export function directUrlProblem(config: Values): string | null {
  return config.CARILLON_DATABASE_DIRECT_URL && config.DATABASE_URL === null
    ? 'DATABASE_URL must also be set: CARILLON_DATABASE_DIRECT_URL is only for a database behind a pooler'
    : null;
}

/** The host of a URL, or an address to listen on. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  if (isIP(name)) return name === '::1' || name.startsWith('127.');
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Calls to our own machine are harmless only while the service is not accessible from other machines. */
export function allowedNetwork({ HOST, PUBLIC_URL }: Values): 'loopback' | 'none' {
  const hosts = [HOST, ...(PUBLIC_URL === null ? [] : [new URL(PUBLIC_URL).hostname])];
  return hosts.every(isLoopback) ? 'loopback' : 'none';
}
