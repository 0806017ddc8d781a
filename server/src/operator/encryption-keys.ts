import { forgetKeys, listUsedKeys, loadKeyring, openKeyring } from '../db/encryption-keys.ts';
import { type ColumnReport, keyIdOf, type ResealReport, resealAll, type SealedColumn } from '../db/reseal.ts';
import { type Pool, transaction } from '../db/sql.ts';
import type { Keyring } from '../kernel/crypto.ts';
import { sealedColumns } from '../sealed.ts';
import { type OperatorCommand, recordEverywhere, withDatabase } from './command.ts';

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
    const report = await resealAll(pool, keyring, sealedColumns, (report) => print(lineOf(report)));
    return conclude(pool, keyring, report, print);
  });

function lineOf({ column, values, resealed, unopened }: ColumnReport): string {
  const lost = unopened > 0 ? `, ${unopened} cannot be decrypted` : '';
  return `  ${column}: ${values} encrypted values, ${resealed} re-encrypted${lost}`;
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

/**
 * `npm start -- --accept-lost-key ID`: lets the service run without a key whose sealed values are lost in any case. Secrets
 * that the service generated are generated again, because it cannot work without them; secrets that people gave must be given
 * again. The key must be named, so that an operator who merely forgot to set it loses nothing by a pasted command.
 */
export const acceptLostKeyCommand: OperatorCommand = (config, print, [lost = '']) =>
  withDatabase(config, print, async (pool) => {
    const used = await listUsedKeys(pool);
    if (!used.includes(lost)) {
      print(`Pass the lost key; this database was used with ${used.join(', ') || 'none'}.`);
      return 1;
    }
    const keyring = loadKeyring(config.CARILLON_ENCRYPTION_KEY, config.CARILLON_DATA_DIR);
    if (keyring.ids.includes(lost)) {
      print(`The key ${lost} is not lost: this process has it.`);
      return 1;
    }
    let toGive = 0;
    for (const column of sealedColumns) {
      const {
        columns: [report],
      } = await resealAll(pool, withoutLost(keyring, column, lost), [column]);
      if (!report || report.resealed + report.unopened === 0) continue;
      toGive += report.unopened;
      print(`  ${report.column}: ${report.resealed} regenerated, ${report.unopened} to be entered again`);
    }
    await forgetKeys(
      pool,
      used.filter((id) => id !== lost),
    );
    await openKeyring(pool, config.CARILLON_ENCRYPTION_KEY, config.CARILLON_DATA_DIR);
    const target = `encryption_key:${lost}`;
    await transaction(pool, (tx) =>
      recordEverywhere(tx, { action: 'encryption_key.lost', target, before: null, after: null }),
    );
    print(`Carillon continues without the key ${lost} and encrypts with ${keyring.ids[0]}.`);
    if (toGive > 0) print(`${toGive} secrets of providers and chats must be entered again before they work.`);
    return 0;
  });

/** Where values can be generated again, opening with the lost key returns a new value instead of the sealed one. */
function withoutLost(keyring: Keyring, { remake }: SealedColumn, lost: string): Keyring {
  if (!remake) return keyring;
  return {
    ...keyring,
    open: (sealed, context) => (keyIdOf(sealed) === lost ? remake() : keyring.open(sealed, context)),
  };
}
