import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError, usageError } from './errors.ts';
import type { Io } from './io.ts';

export interface Profile {
  url: string;
  api_key: string;
  /** As the service said at login. */
  environment: 'test' | 'live';
}

interface Profiles {
  current: string | null;
  profiles: Record<string, Profile>;
}

const defaultUrl = 'http://127.0.0.1:8400';

export function profilesPath({ env, home }: Io): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'carillon/config.json');
}

export function readProfiles(io: Io): Profiles {
  const path = profilesPath(io);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return { current: null, profiles: {} };
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
  const parsed = parse(text);
  if (!parsed)
    throw new CliError(`${path} was not written by \`carillon login\`.`, {
      hint: 'Fix or delete the file, then log in again.',
    });
  return parsed;
}

function parse(text: string): Profiles | null {
  try {
    const value = JSON.parse(text) as Partial<Profiles>;
    const { current, profiles } = value;
    if (typeof profiles !== 'object' || profiles === null) return null;
    const sound = Object.values(profiles).every(
      (each) => typeof each?.url === 'string' && typeof each.api_key === 'string',
    );
    return sound ? { current: typeof current === 'string' ? current : null, profiles } : null;
  } catch {
    return null;
  }
}

/** Keys are secrets: from its first byte on, the file is for its owner alone. */
export function writeProfiles(io: Io, profiles: Profiles): void {
  const path = profilesPath(io);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const staging = `${path}.${process.pid}`;
  writeFileSync(staging, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  chmodSync(staging, 0o600);
  renameSync(staging, path);
}

export interface Access {
  url: string;
  apiKey: string | null;
  /** Null: of the environment variables. */
  profile: string | null;
}

/**
 * Who is calling whom. What stands on the command line wins, then the environment variables, then the current profile. A key of a
 * profile never goes to another address than it was given for. CARILLON_KEY, the older name, comes last: a shell that still sets
 * it must not take the place of a profile.
 */
export function accessOf(io: Io, flags: { url?: string | undefined; profile?: string | undefined }): Access {
  const name = flags.profile ?? (io.env.CARILLON_API_KEY ? null : (io.env.CARILLON_PROFILE ?? null));
  if (name === null && io.env.CARILLON_API_KEY) {
    const url = flags.url ?? (io.env.CARILLON_URL || defaultUrl);
    return { url, apiKey: io.env.CARILLON_API_KEY, profile: null };
  }
  const { current, profiles } = readProfiles(io);
  const wanted = name ?? current;
  const profile = wanted !== null && Object.hasOwn(profiles, wanted) ? profiles[wanted] : undefined;
  if (name !== null && !profile) {
    const known = Object.keys(profiles).join(', ');
    throw usageError(
      `Profile ${name} not found.`,
      known ? `Available profiles: ${known}.` : 'Run `carillon login`.',
    );
  }
  const olderKey = io.env.CARILLON_KEY || null;
  const explicit = flags.url ?? (flags.profile === undefined ? io.env.CARILLON_URL || undefined : undefined);
  if (!profile) return { url: explicit ?? defaultUrl, apiKey: olderKey, profile: null };
  const elsewhere = explicit !== undefined && originOf(explicit) !== originOf(profile.url);
  if (elsewhere && flags.profile !== undefined)
    throw usageError(
      `The key of ${wanted} is for ${profile.url} and is not sent to ${explicit}.`,
      'Leave out --url; or leave out --profile and put a key for that address into CARILLON_API_KEY.',
    );
  if (elsewhere) return { url: explicit, apiKey: olderKey, profile: null };
  return { url: explicit ?? profile.url, apiKey: profile.api_key, profile: wanted };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
