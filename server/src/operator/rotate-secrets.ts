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
    print(
      `encrypting with key ${first}${others.length > 0 ? `; also decrypting with ${others.join(', ')}` : ''}`,
    );
    const report = await resealAll(pool, keyring, sealedColumns, (place) => print(lineOf(place)));
    return conclude(pool, keyring, report, print);
  });

function lineOf({ place, values, resealed, unopened }: ColumnReport): string {
  const lost = unopened > 0 ? `, ${unopened} cannot be decrypted` : '';
  return `  ${place}: ${values} encrypted values, ${resealed} re-encrypted${lost}`;
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
      ? 'a process with another first key is still writing them; restart it with the new key first, then run this command again'
      : 'their key is not configured; add it to CARILLON_ENCRYPTION_KEY again, or enter those secrets again';
    print(`${count} values are still encrypted with key ${id}: ${why}.`);
  }
  const retired = await forgetKeys(pool, [first, ...used.keys()]);
  const unused = [...new Set([...retired, ...others.filter((id) => !used.has(id))])];
  if (unused.length > 0) print(`no longer needed in CARILLON_ENCRYPTION_KEY: ${unused.join(', ')}`);
  if (remaining.length === 0) print(`every secret is encrypted with key ${first}`);
  return remaining.length === 0 ? 0 : 1;
}
