import type { Config } from './config.ts';
import { findRunningPostgres, startEmbeddedPostgres } from './db/embedded/index.ts';
import { checkKeyring, forgetKeys, loadKeyring } from './db/encryption-keys.ts';
import { migrate } from './db/migrate.ts';
import { type PlaceReport, type ResealReport, resealAll } from './db/reseal.ts';
import { createPool, type Pool } from './db/sql.ts';
import type { Keyring } from './kernel/crypto.ts';
import { sealedPlaces } from './sealed.ts';

/**
 * `npm start -- --rotate-secrets`: everything that an older key sealed is sealed with the first one, so that the older ones can
 * be retired. Returns the exit code: 0 once nothing needs any other key than the first.
 */
export async function rotateSecrets(config: Config, print: (line: string) => void): Promise<number> {
  const database = await reachDatabase(config, print);
  const pool = createPool(database.url, 2);
  try {
    await migrate(pool);
    const keyring = loadKeyring(config.CARILLON_ENCRYPTION_KEY, config.CARILLON_DATA_DIR);
    await checkKeyring(pool, keyring);
    const [first = '', ...others] = keyring.ids;
    print(`sealing with key ${first}${others.length > 0 ? `; opening with ${others.join(', ')} too` : ''}`);
    const report = await resealAll(pool, keyring, sealedPlaces, (place) => print(lineOf(place)));
    return await conclude(pool, keyring, report, print);
  } finally {
    await pool.end();
    await database.stop();
  }
}

/** A service that runs on the bundled database keeps running: we use its database beside it. */
async function reachDatabase(
  config: Config,
  print: (line: string) => void,
): Promise<{ url: string; stop(): Promise<void> }> {
  const running = config.DATABASE_URL ?? (await findRunningPostgres(config.CARILLON_DATA_DIR));
  if (running !== null) return { url: running, stop: async () => {} };
  return startEmbeddedPostgres({ dataDir: config.CARILLON_DATA_DIR, log: print });
}

function lineOf({ place, values, resealed, unopened }: PlaceReport): string {
  const lost = unopened > 0 ? `, ${unopened} cannot be opened` : '';
  return `  ${place}: ${values} sealed values, ${resealed} sealed anew${lost}`;
}

async function conclude(
  pool: Pool,
  keyring: Keyring,
  { used }: ResealReport,
  print: (line: string) => void,
): Promise<number> {
  const [first = '', ...others] = keyring.ids;
  const remaining = [...used].filter(([id]) => id !== first);
  for (const [id, count] of remaining) {
    const why = others.includes(id)
      ? 'a process that still runs with another first key is writing them; restart it with the new one, then run this again'
      : 'their key is not configured; put it back into CARILLON_ENCRYPTION_KEY, or give those secrets anew';
    print(`${count} values are still sealed with key ${id}: ${why}.`);
  }
  const retired = await forgetKeys(pool, [first, ...used.keys()]);
  const unused = [...new Set([...retired, ...others.filter((id) => !used.has(id))])];
  if (unused.length > 0)
    print(`no longer used, and no longer needed in CARILLON_ENCRYPTION_KEY: ${unused.join(', ')}`);
  if (remaining.length === 0) print(`every secret is sealed with key ${first}`);
  return remaining.length === 0 ? 0 : 1;
}
