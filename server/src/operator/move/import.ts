import { type Pool, query, type Sql, transaction } from '../../db/sql.ts';
import { createKeyring, type Keyring } from '../../kernel/crypto.ts';
import { sealedColumns } from '../../sealed.ts';
import { readKeys } from './export.ts';
import { deleteOrganization } from './finish.ts';
import {
  createResealer,
  type MoveFileEnd,
  type MoveManifest,
  type MoveRow,
  readMoveFile,
  UnusableFile,
} from './move-file.ts';
import { createOwnershipCheck, type InsertedRow, type OwnershipCheck } from './ownership.ts';
import { findMove, findOrganization, listMigrationNames } from './store.ts';
import { type MovedTable, planMove } from './tables.ts';

const maxRows = 500;
const maxCharacters = 4_000_000;

interface Person {
  id: string;
  email: string;
}

interface CheckedFile {
  manifest: MoveManifest;
  ending: MoveFileEnd;
  /** The ids of the users in the file. */
  userIds: string[];
  /** Ids of users in the file → those of the users with the same email here. */
  merged: Map<string, string>;
  /** The rows that an interrupted import has already committed. */
  rowsDone: number;
}

/** Checks everything that can be known before the first row is written. */
export async function checkFile(pool: Pool, file: string, mergeUsers: boolean): Promise<CheckedFile> {
  const { authenticate } = await readKeys(file);
  const people: Person[] = [];
  const keyHashes: string[] = [];
  const { manifest, ending } = await readMoveFile(file, authenticate, ({ table, json }) => {
    if (table === 'users') people.push(JSON.parse(json) as Person);
    if (table === 'api_keys') keyHashes.push((JSON.parse(json) as { key_hash: string }).key_hash);
  });
  const ours = await listMigrationNames(pool);
  if (JSON.stringify(ours) !== JSON.stringify(manifest.migrations)) {
    const missing = manifest.migrations.filter((name) => !ours.includes(name));
    const extra = ours.filter((name) => !manifest.migrations.includes(name));
    throw new Error(
      `The two installations have different schemas: ${[...missing.map((name) => `${name} is missing here`), ...extra.map((name) => `${name} is missing in the export`)].join(', ')}. Run the same release on both, then export again.`,
    );
  }
  const rowsDone = await refuseExisting(pool, manifest, keyHashes);
  const merged = await matchUsers(pool, people, mergeUsers);
  return { manifest, ending, userIds: people.map(({ id }) => id), merged, rowsDone };
}

/** Returns how many rows of this very file are committed. */
async function refuseExisting(
  pool: Pool,
  { organizationId, environmentIds, moveId }: MoveManifest,
  keyHashes: string[],
): Promise<number> {
  const move = await findMove(pool, organizationId);
  const [other] = await query<{ id: string }>(
    pool,
    'select id from environments where id = any ($1::uuid[]) and organization_id <> $2 limit 1',
    [environmentIds, organizationId],
  );
  if (other) throw new Error(`The environment ${other.id} belongs to another organization here.`);
  if (move?.state === 'arriving' && move.move_id === moveId) return Number(move.rows_done);
  if (move?.state === 'arriving')
    throw new Error('Another export of this organization is being imported; `delete` it first.');
  if (move || (await findOrganization(pool, organizationId)))
    throw new Error(`The organization ${organizationId} exists here already.`);
  const [taken] = await query<{ what: string }>(
    pool,
    `select 'The environment ' || id as what from environments where id = any ($1::uuid[])
     union all select 'An API key of the organization' from api_keys where key_hash = any ($2::bytea[])
     limit 1`,
    [environmentIds, keyHashes],
  );
  if (taken) throw new Error(`${taken.what} exists here already.`);
  return 0;
}

/**
 * A person may have an account at both installations. Emails are not verified, so the same email alone does not prove the same
 * person: only the operator can say so.
 */
async function matchUsers(pool: Pool, people: Person[], mergeUsers: boolean): Promise<Map<string, string>> {
  const found = await query<{ id: string; other: string; email: string }>(
    pool,
    `select p.id::text, u.id::text as other, u.email
     from json_to_recordset($1::json) as p (id uuid, email text) join users u on u.email = p.email
     where u.id <> p.id and not exists (select from users same where same.id = p.id)`,
    [JSON.stringify(people)],
  );
  if (found.length > 0 && !mergeUsers)
    throw new Error(
      `These emails belong to other accounts here: ${found.map(({ email }) => email).join(', ')}. With --merge-users these accounts become members of the organization; emails are not verified, so make sure that they belong to the same people.`,
    );
  return new Map(found.map(({ id, other }) => [id, other]));
}

/**
 * `import FILE`: writes the rows in slices, each with the number of rows done: after a crash the same command continues. The
 * organization is refused (503) and its work is set aside until it is activated. Nothing stays of a file with rows of others.
 */
export async function importOrganization(
  pool: Pool,
  keyring: Keyring,
  file: string,
  checked: CheckedFile,
  print: (line: string) => void,
): Promise<void> {
  const { organizationId } = checked.manifest;
  const newUsers: string[] = [];
  try {
    await importRows(pool, keyring, file, checked, newUsers, print);
  } catch (error) {
    if (error instanceof UnusableFile) {
      await deleteOrganization(pool, organizationId, () => {});
      await query(pool, 'delete from users where id = any ($1::uuid[])', [newUsers]);
    }
    throw error;
  }
}

async function importRows(
  pool: Pool,
  keyring: Keyring,
  file: string,
  { manifest, ending, userIds, merged, rowsDone }: CheckedFile,
  newUsers: string[],
  print: (line: string) => void,
): Promise<void> {
  const { organizationId, moveId } = manifest;
  const keys = await readKeys(file);
  const seals = createResealer(sealedColumns, createKeyring([keys.seal]), keyring);
  const plan = await planMove(pool, organizationId, manifest.environmentIds);
  const ownership = createOwnershipCheck(
    plan,
    userIds.map((id) => merged.get(id) ?? id),
  );
  const tables = new Map(plan.tables.map((table) => [table.name, table]));
  await query(
    pool,
    `insert into organization_moves (organization_id, move_id, state, activation_hash) values ($1, $2, 'arriving', $3)
     on conflict do nothing`,
    [organizationId, moveId, Buffer.from(manifest.activationHash, 'hex')],
  );
  if (rowsDone > 0) print(`continuing after ${rowsDone} rows`);

  let seen = 0;
  let slice: MoveRow[] = [];
  let characters = 0;
  async function flush(): Promise<void> {
    const [first] = slice;
    if (!first) return;
    const table = tables.get(first.table);
    if (!table) throw new UnusableFile(`The file has rows of an unknown table, ${first.table}.`);
    const rows = slice;
    await transaction(pool, async (tx) => {
      // A second import at the same time waits here, and then finds other progress than its own.
      const updated = await query(
        tx,
        `update organization_moves set rows_done = $3
         where organization_id = $1 and move_id = $2 and state = 'arriving' and rows_done = $4 returning 1 as one`,
        [organizationId, moveId, seen, seen - rows.length],
      );
      if (updated.length === 0) throw new Error('The same file is being imported by another process.');
      const inserted = await insertRows(tx, table, rows, merged, ownership);
      await ownership.check(tx, table, inserted);
      if (table.name === 'users') newUsers.push(...inserted.map(({ id }) => id));
    }).catch((error) => {
      throw explained(error, table.name);
    });
    slice = [];
    characters = 0;
  }

  const read = await readMoveFile(file, keys.authenticate, async ({ table, json }) => {
    if (seen >= rowsDone) {
      if (slice.length === maxRows || characters > maxCharacters || slice[0]?.table !== table) {
        const before = slice[0]?.table;
        await flush();
        if (before !== undefined && before !== table) print(`  ${before}: ${ending.rows[before]} rows`);
      }
      slice.push({ table, json: seals.row(table, json) });
      characters += json.length;
    }
    seen += 1;
  });
  await flush();
  if (read.ending.mac !== ending.mac)
    throw new UnusableFile(`${file} was replaced while it was being imported.`);
  await ownership.checkUsers(pool);
  await query(
    pool,
    'update organization_moves set receipt = $3 where organization_id = $1 and move_id = $2',
    [organizationId, moveId, ending.mac],
  );
  if (seals.unopened() > 0) print(`${seals.unopened()} secrets cannot be decrypted, as at the source`);
}

async function insertRows(
  tx: Sql,
  table: MovedTable,
  rows: MoveRow[],
  merged: ReadonlyMap<string, string>,
  ownership: OwnershipCheck,
): Promise<InsertedRow[]> {
  const { name, columns, userColumns } = table;
  const values = columns.map((column) =>
    userColumns.includes(column)
      ? `coalesce((select other from merged m where m.id = r.${column}), r.${column})`
      : `r.${column}`,
  );
  // People who have an account here already keep it as it is.
  const rest =
    name === 'users'
      ? 'where not exists (select from merged m where m.id = r.id) on conflict (id) do nothing'
      : '';
  return query<InsertedRow>(
    tx,
    `with merged as (select * from json_to_recordset($2::json) as (id uuid, other uuid))
     insert into ${name} (${columns.join(', ')})
     select ${values.join(', ')} from json_populate_recordset(null::${name}, $1::json) r ${rest}
     returning ${ownership.returned(table)}`,
    [
      `[${rows.map(({ json }) => json).join(',')}]`,
      JSON.stringify([...merged].map(([id, other]) => ({ id, other }))),
    ],
  );
}

function explained(error: unknown, table: string): unknown {
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  if (code !== '23505') return error;
  return new Error(
    `A row of ${table} exists here already (${detail}). Nothing of the organization is active; \`delete\` removes what was imported.`,
  );
}
