import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type Pool, query, transaction, transactionOnce } from '../../db/sql.ts';
import { recordAudit, serviceAuthor } from '../../features/platform/audit/index.ts';
import { createKeyring, type Keyring, sha256 } from '../../kernel/crypto.ts';
import { newId } from '../../kernel/ids.ts';
import { sealedColumns } from '../../sealed.ts';
import {
  createResealer,
  keysOf,
  type MoveFileEnd,
  type MoveFileWriter,
  type MoveManifest,
  type Resealer,
  writeMoveFile,
} from './move-file.ts';
import { stopWork } from './set-aside.ts';
import { findMove, findOrganization, listMigrationNames, withMoveLock } from './store.ts';
import { type MovedTable, type MovePlan, planMove } from './tables.ts';

/** A row with an attachment has up to 40 MB in hexadecimal. */
const rowsAtOnce = { attachment_bytes: 4, others: 100 };
const progressEvery = 100_000;

/** `export ID FILE`: stops the organization here and writes all of it to a file. Returns the receipt of the file. */
export function exportOrganization(
  pool: Pool,
  keyring: Keyring,
  organizationId: string,
  file: string,
  print: (line: string) => void,
): Promise<MoveFileEnd> {
  return withMoveLock(pool, organizationId, () => exportAlone(pool, keyring, organizationId, file, print));
}

async function exportAlone(
  pool: Pool,
  keyring: Keyring,
  organizationId: string,
  file: string,
  print: (line: string) => void,
): Promise<MoveFileEnd> {
  const { name, environmentIds } = await getOrganization(pool, organizationId);
  await refuseUnassignedEvents(pool);
  const plan = await planMove(pool, organizationId, environmentIds);
  const transferKey = randomBytes(32);
  const { moveId, activationHash } = await beginMove(pool, organizationId);
  try {
    // The key is a file of its own, so that the large one can be stored or sent where it must not be read.
    await writeFile(keyFile(file), `${transferKey.toString('base64')}\n`, { mode: 0o600 });
    print(`${name} accepts no more requests here until the move ends (503 organization_moving)`);
    await stopWork(pool, plan, organizationId, environmentIds, print);
    const manifest: MoveManifest = {
      format: 2,
      organizationId,
      environmentIds,
      name,
      moveId,
      activationHash,
      migrations: await listMigrationNames(pool),
    };
    const partial = `${file}.partial`;
    await rm(partial, { force: true });
    const keys = keysOf(transferKey);
    const seals = createResealer(sealedColumns, keyring, createKeyring([keys.seal]));
    const writer = await writeMoveFile(partial, keys.authenticate, manifest);
    await readRows(pool, plan.tables, seals, writer, print);
    const ending = await writer.end();
    await rename(partial, file);
    if (seals.unopened() > 0)
      print(
        `${seals.unopened()} secrets cannot be decrypted here, and move as they are (docs/guides/secrets.md)`,
      );
    const kept = await query(
      pool,
      'update organization_moves set receipt = $3 where organization_id = $1 and move_id = $2 returning 1 as one',
      [organizationId, moveId, ending.mac],
    );
    if (kept.length === 0) throw new Error('The organization was released or exported again meanwhile.');
    return ending;
  } catch (error) {
    print(
      'The export failed, and the organization stays stopped here: repeat the export, or `organization release`.',
    );
    throw error;
  }
}

export const keyFile = (file: string): string => `${file}.key`;

/** Reads the transfer key beside the file, and derives its keys. */
export async function readKeys(file: string): Promise<ReturnType<typeof keysOf>> {
  const path = keyFile(file);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `${path} is missing. The export wrote it; without it the file can be neither checked nor read.`,
    );
  });
  const transferKey = Buffer.from(text.trim(), 'base64');
  if (transferKey.length !== 32) throw new Error(`${path} is not the key of an export.`);
  return keysOf(transferKey);
}

export async function getOrganization(pool: Pool, organizationId: string) {
  const found = await findOrganization(pool, organizationId);
  if (!found) throw new Error(`No organization has the id ${organizationId}.`);
  return found;
}

/** `export ID --dry-run`: counts the rows and changes nothing. */
export async function countRows(pool: Pool, plan: MovePlan): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, where } of plan.tables) {
    const [row] = await query<{ count: string }>(pool, `select count(*) from ${name} where ${where}`);
    counts.set(name, Number(row?.count));
  }
  return counts;
}

/** From here on requests are refused, in every process within a second. A repeated export is a new move. */
async function beginMove(
  pool: Pool,
  organizationId: string,
): Promise<{ moveId: string; activationHash: string }> {
  const moveId = newId();
  const code = randomBytes(16).toString('hex');
  const hash = sha256(code);
  await transaction(pool, async (tx) => {
    const before = await findMove(tx, organizationId);
    if (before && before.state !== 'leaving') {
      throw new Error(
        before.state === 'moved'
          ? `The organization has moved to ${before.moved_to}.`
          : 'The organization is still arriving here.',
      );
    }
    if (!before) {
      await recordAudit(tx, serviceAuthor(organizationId), {
        action: 'organization.move_started',
        target: `organization:${organizationId}`,
      });
    }
    await query(
      tx,
      `insert into organization_moves (organization_id, move_id, state, activation_code, activation_hash)
       values ($1, $2, 'leaving', $3, $4)
       on conflict (organization_id) do update set move_id = excluded.move_id, receipt = null,
         activation_code = excluded.activation_code, activation_hash = excluded.activation_hash`,
      [organizationId, moveId, code, hash],
    );
  });
  return { moveId, activationHash: hash.toString('hex') };
}

/** Reads every row in one snapshot, through cursors: memory stays bounded. */
async function readRows(
  pool: Pool,
  tables: MovedTable[],
  seals: Resealer,
  writer: MoveFileWriter,
  print: (line: string) => void,
): Promise<void> {
  await transactionOnce(pool, async (tx) => {
    await query(tx, 'set transaction isolation level repeatable read, read only');
    // Before the snapshot is taken: rows of a partition that is dropped after it would be in no table that the snapshot sees.
    await query(tx, 'lock table notifications, notification_contents in access share mode');
    for (const { name, where } of tables) {
      const count = name === 'attachment_bytes' ? rowsAtOnce.attachment_bytes : rowsAtOnce.others;
      await query(
        tx,
        `declare moved_rows no scroll cursor for select row_to_json(t)::text as json from ${name} t where ${where}`,
      );
      let read = 0;
      for (;;) {
        const rows = await query<{ json: string }>(tx, `fetch ${count} from moved_rows`);
        for (const { json } of rows) await writer.row(name, seals.row(name, json));
        const before = read;
        read += rows.length;
        if (Math.floor(read / progressEvery) > Math.floor(before / progressEvery))
          print(`  ${name}: ${read} rows so far`);
        if (rows.length < count) break;
      }
      await query(tx, 'close moved_rows');
      if (read > 0) print(`  ${name}: ${read} rows`);
    }
  });
}

/** Events of earlier releases do not say whose they are. */
async function refuseUnassignedEvents(pool: Pool): Promise<void> {
  const [row] = await query<{ last: Date | null }>(
    pool,
    `select max(arrived_at) + interval '8 days' as last from workflow_events where environment_id is null`,
  );
  if (row?.last)
    throw new Error(
      `Workflow events that arrived before the upgrade to this release cannot be assigned to an organization. The last one is deleted on ${row.last.toISOString().slice(0, 10)}; export after that.`,
    );
}
