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
  summary: 'Save the URL and API key of a service',
  arguments: '[name]',
  takes: [0, 1],
  details:
    'The key is read from a hidden prompt or from standard input, never from the command line, where other users\n' +
    'of the machine could see it. It is verified, then stored with mode 0600.\n' +
    'The profile name defaults to test or live, by the kind of the key.',
  options: {
    local: { type: 'boolean', description: 'Use both keys from the first start of a checkout' },
    use: { type: 'boolean', description: 'Switch to the named profile' },
    list: { type: 'boolean', description: 'List profiles' },
  },
  examples: [
    { command: 'carillon login --url https://carillon.example.com', says: 'prompts for the key' },
    { command: 'carillon login --local', says: 'add profiles test and live for this checkout' },
    { command: 'echo "$KEY" | carillon login staging', says: 'save a named profile' },
    { command: 'carillon login live --use', says: 'switch to the profile live' },
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
      throw usageError('Invalid key: keys start with crl_test_ or crl_live_.');
    await store(context, name, where, key);
  },
});

async function store({ io, style, json }: Context, name: string | undefined, url: string, key: string) {
  const me = await createClient({ base_url: url, api_key: key, max_retries: 0 }).me();
  const called = name ?? me.environment_kind;
  const profile: Profile = { url, api_key: key, environment: me.environment_kind };
  const { current, profiles } = readProfiles(io);
  const next = { ...profiles, [called]: profile };
  // Logging in to Live does not make it current, to prevent accidental sends to Live.
  writeProfiles(io, { current: current ?? called, profiles: next });
  const isCurrent = (current ?? called) === called;
  if (json)
    return io.out(
      JSON.stringify({ profile: called, url, environment: me.environment_kind, current: isCurrent }),
    );
  io.out(`${style('green', '✓')} ${called}: the ${me.environment_kind} environment at ${url}`);
  if (!isCurrent)
    io.out(`  Use it with --profile ${called}, or make it the default: carillon login ${called} --use`);
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
      hint: 'Run `carillon start` once to create it.',
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
      name === undefined ? 'Which profile?' : `Profile ${name} not found.`,
      `Profiles: ${Object.keys(profiles).join(', ') || 'none'}.`,
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
  if (rows.length === 0) return io.out(`No profiles in ${profilesPath(io)}.`);
  io.out(
    table(rows.map((row) => [row.current ? '*' : ' ', row.name, row.environment, row.url, `…${row.last4}`])),
  );
}
