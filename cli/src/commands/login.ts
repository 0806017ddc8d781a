import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@carillon/sdk';
import { type Context, command } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { type Profile, profilesPath, readProfiles, writeProfiles } from '../profiles.ts';
import { table } from '../style.ts';
import { findRepository } from './repository.ts';

export const login = command({
  name: 'login',
  summary: 'Remember where the service is, and a key for it',
  arguments: '[name]',
  takes: [0, 1],
  details:
    'The key is asked for without showing it, or read from the standard input; never from the command line,\n' +
    'where other users of the machine could see it. It is checked, then stored for you alone (mode 0600).\n' +
    'A profile is called test or live, after its key, unless you name it.',
  options: {
    local: { type: 'boolean', description: 'Both keys that the first start of a checkout wrote' },
    use: { type: 'boolean', description: 'Only make the named profile the current one' },
    list: { type: 'boolean', description: 'Only list the profiles' },
  },
  examples: [
    { command: 'carillon login --url https://carillon.example.com', says: 'asks for the key' },
    { command: 'carillon login --local', says: 'profiles test and live of the service in this checkout' },
    { command: 'echo "$KEY" | carillon login staging', says: 'a profile with a name of its own' },
    { command: 'carillon login live --use', says: 'from now on, that one' },
  ],
  async run(context, { local, use, list }, [name]) {
    const { io } = context;
    if (list) return listProfiles(context);
    if (use) return useProfile(io, name);
    if (local) return loginLocally(context);
    const where = context.url();
    const key = (
      io.interactive ? await io.ask(`Key for ${where}: `, { hidden: true }) : await io.readInput()
    ).trim();
    if (!/^crl_(?:test|live)_\w+$/.test(key))
      throw usageError('That is not a key: keys begin with crl_test_ or crl_live_.');
    await store(context, name, where, key);
  },
});

async function store({ io, style, json }: Context, name: string | undefined, url: string, key: string) {
  const me = await createClient({ base_url: url, api_key: key, max_retries: 0 }).me();
  const called = name ?? me.environment_kind;
  const profile: Profile = { url, api_key: key, environment: me.environment_kind };
  const { current, profiles } = readProfiles(io);
  const next = { ...profiles, [called]: profile };
  // Nobody should send to Live because they logged in to it last.
  writeProfiles(io, { current: current ?? called, profiles: next });
  const isCurrent = (current ?? called) === called;
  if (json)
    return io.out(
      JSON.stringify({ profile: called, url, environment: me.environment_kind, current: isCurrent }),
    );
  io.out(`${style('green', '✓')} ${called}: the ${me.environment_kind} environment at ${url}`);
  if (!isCurrent) io.out(`  Use it with --profile ${called}, or always: carillon login ${called} --use`);
}

async function loginLocally(context: Context): Promise<void> {
  const { io } = context;
  const folder = io.env.CARILLON_DATA_DIR ?? join(findRepository(io) ?? io.cwd, '.carillon');
  const path = join(folder, 'credentials.json');
  let keys: { test_key?: unknown; live_key?: unknown };
  try {
    keys = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new CliError(`${path} cannot be read.`, {
      hint: 'The first start of a service writes it: `carillon start`.',
    });
  }
  for (const key of [keys.test_key, keys.live_key]) {
    if (typeof key === 'string') await store(context, undefined, context.url(), key);
  }
}

function useProfile(io: Io, name: string | undefined): void {
  const { profiles } = readProfiles(io);
  if (name === undefined || !Object.hasOwn(profiles, name))
    throw usageError(
      name === undefined ? 'Which profile?' : `There is no profile ${name}.`,
      `There are: ${Object.keys(profiles).join(', ') || 'none yet'}.`,
    );
  writeProfiles(io, { current: name, profiles });
  io.out(`Now using ${name} (${profiles[name]?.url}).`);
}

function listProfiles({ io, json }: Context) {
  const { current, profiles } = readProfiles(io);
  const rows = Object.entries(profiles).map(([name, { url, environment, api_key }]) => ({
    name,
    url,
    environment,
    last4: api_key.slice(-4),
    current: name === current,
  }));
  if (json) return io.out(JSON.stringify(rows));
  if (rows.length === 0) return io.out(`No profile yet in ${profilesPath(io)}.`);
  io.out(
    table(rows.map((row) => [row.current ? '*' : ' ', row.name, row.environment, row.url, `…${row.last4}`])),
  );
}
