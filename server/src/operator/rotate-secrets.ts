import { forgetKeys, openKeyring } from '../db/encryption-keys.ts';
import { type ColumnReport, type ResealReport, resealAll } from '../db/reseal.ts';
import type { Pool } from '../db/sql.ts';
import type { Keyring } from '../kernel/crypto.ts';
import { sealedColumns } from '../sealed.ts';
import type { OperatorCommand } from './command.ts';
import { withDatabase } from './database.ts';

/**
 * `npm start -- --rotate-secrets`: seals every value of an older key with the first one, so that the older keys can be retired.
 * Returns the exit code: 0 once no value needs any key except the first.
 */
export const rotateSecretsCommand: OperatorCommand = (config, print) =>
  withDatabase(config, print, async (pool) => {
    const keyring = await openKeyring(pool, config.CARILLON_ENCRYPTION_KEY, config.CARILLON_DATA_DIR);
    const [first = '', ...others] = keyring.ids;
    print(`sealing with key ${first}${others.length > 0 ? `; opening with ${others.join(', ')} too` : ''}`);
    const report = await resealAll(pool, keyring, sealedColumns, (place) => print(lineOf(place)));
    return conclude(pool, keyring, report, print);
  });

function lineOf({ place, values, resealed, unopened }: ColumnReport): string {
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
