import { type Sql, statement } from '../../../db/sql.ts';
import type { Input, JoinDigestEffect, JsonObject } from '../../../engine/index.ts';
import { storableJson } from '../../../kernel/json.ts';

/**
 * Open digests. A row is a digest that still takes items; its row is locked from the first read until the commit, and closing
 * the digest deletes the row. So there is at most one open digest for a key at any time, and every item is in exactly one.
 */

interface DigestJoin {
  runId: string;
  workflowId: string;
  effect: JoinDigestEffect;
  now: number;
}

interface JoinedDigest {
  /** The result for each run: it opened a digest, or its item joined the digest of another run. */
  inputs: Map<string, Extract<Input, { kind: 'digest_opened' | 'digest_joined' }>>;
  /** Surviving runs whose digest is full: they need not wait for the end of the window. */
  full: Set<string>;
}

/** Characters of the items of one digest: the items become part of the state of the surviving run. */
const maxSize = 1_000_000;

/**
 * One digest for each key takes the items in the order of their runs; a full one is closed, and the next item opens another.
 */
export async function joinDigests(tx: Sql, joins: DigestJoin[]): Promise<JoinedDigest> {
  const joined: JoinedDigest = { inputs: new Map(), full: new Set() };
  if (joins.length === 0) return joined;
  const groups = groupByKey(joins);
  const wanted = [...groups.values()].flatMap(([first]) =>
    first ? [{ ...keyOf(first), run_id: first.runId, closes_at: closingOf(first).toISOString() }] : [],
  );
  const open = await lockOrOpenDigests(tx, [storableJson(wanted)]);
  const left: OpenDigest[] = [];
  const gone: DigestKey[] = [];
  const items: { run_id: string; source_run_id: string; item: JsonObject }[] = [];
  for (const digest of open) {
    let current: OpenDigest | null = digest;
    for (const join of groups.get(nameOf(digest)) ?? []) {
      const size = JSON.stringify(join.effect.item).length;
      if (current && current.item_count > 0 && current.item_size + size > maxSize) {
        joined.full.add(current.run_id);
        current = null;
      }
      current ??= newDigest(join);
      joined.inputs.set(
        join.runId,
        current.item_count === 0
          ? { kind: 'digest_opened', until: current.closes_at.getTime() }
          : { kind: 'digest_joined', survivingRunId: current.run_id },
      );
      items.push({ run_id: current.run_id, source_run_id: join.runId, item: join.effect.item });
      current.item_count += 1;
      current.item_size += size;
      if (current.item_count < join.effect.maxItems) continue;
      joined.full.add(current.run_id);
      current = null;
    }
    if (current) left.push(current);
    else gone.push(digest);
  }
  await Promise.all([
    left.length > 0 && updateDigests(tx, [storableJson(left)]),
    gone.length > 0 && deleteFullDigests(tx, [storableJson(gone)]),
    insertItems(tx, [storableJson(items)]), // each join has one
  ]);
  return joined;
}

function groupByKey(joins: DigestJoin[]): Map<string, DigestJoin[]> {
  const groups = new Map<string, DigestJoin[]>();
  for (const join of [...joins].sort((a, b) => (a.runId < b.runId ? -1 : 1))) {
    const name = nameOf(keyOf(join));
    const group = groups.get(name);
    if (group) group.push(join);
    else groups.set(name, [join]);
  }
  return groups;
}

function keyOf({ workflowId, effect }: DigestJoin): DigestKey {
  return { workflow_id: workflowId, step_id: effect.stepId, key: effect.key };
}

function nameOf({ workflow_id, step_id, key }: DigestKey): string {
  return JSON.stringify([workflow_id, step_id, key]);
}

function newDigest(join: DigestJoin): OpenDigest {
  return { ...keyOf(join), run_id: join.runId, item_count: 0, item_size: 0, closes_at: closingOf(join) };
}

function closingOf({ now, effect }: DigestJoin): Date {
  return new Date(now + effect.windowMs);
}

interface DigestKey {
  workflow_id: string;
  step_id: string;
  key: string;
}

interface OpenDigest extends DigestKey {
  /** The surviving run, which continues when the digest closes. */
  run_id: string;
  /** 0 when the digest was opened just now. */
  item_count: number;
  /** Characters of all items. */
  item_size: number;
  closes_at: Date;
}

const keyOrder = 'workflow_id, step_id, key'; // one locking order for all: no deadlocks

/** Locks the open digest of each key; opens the given one where there is none. */
const lockOrOpenDigests = statement<OpenDigest>(
  'runs_lock_digests',
  `insert into digests as d (workflow_id, step_id, key, run_id, item_count, item_size, closes_at)
   select workflow_id, step_id, key, run_id, 0, 0, closes_at
   from json_to_recordset($1::json)
     as (workflow_id uuid, step_id text, key text, run_id uuid, closes_at timestamptz)
   order by ${keyOrder}
   on conflict (workflow_id, step_id, key) do update set item_count = d.item_count
   returning workflow_id, step_id, key, run_id, item_count, item_size, closes_at`,
);

const updateDigests = statement(
  'runs_update_digests',
  `update digests d set run_id = i.run_id, item_count = i.item_count, item_size = i.item_size,
     closes_at = i.closes_at
   from json_to_recordset($1::json)
     as i (workflow_id uuid, step_id text, key text, run_id uuid, item_count int, item_size int,
       closes_at timestamptz)
   where d.workflow_id = i.workflow_id and d.step_id = i.step_id and d.key = i.key`,
);

/** The caller holds the locks of the digests. */
const deleteFullDigests = statement(
  'runs_delete_full_digests',
  `delete from digests d using json_to_recordset($1::json) as i (workflow_id uuid, step_id text, key text)
   where d.workflow_id = i.workflow_id and d.step_id = i.step_id and d.key = i.key`,
);

const lockOpenRows = statement<{ run_id: string }>(
  'runs_lock_open_digests',
  `select run_id from digests where run_id = any ($1::uuid[]) order by ${keyOrder} for update`,
);

export async function lockOpenDigests(sql: Sql, runIds: string[]): Promise<Set<string>> {
  return new Set((await lockOpenRows(sql, [runIds])).map((row) => row.run_id));
}

const closeRows = statement('runs_close_digests', 'delete from digests where run_id = any ($1::uuid[])');

/** Closed digests take no more items. The caller holds their locks. */
export async function closeDigests(sql: Sql, runIds: string[]): Promise<void> {
  if (runIds.length > 0) await closeRows(sql, [runIds]);
}

const listOpenRows = statement<{ run_id: string }>(
  'runs_list_open_digests',
  'select run_id from digests where run_id = any ($1::uuid[])',
);

export async function listOpenDigests(sql: Sql, runIds: string[]): Promise<Set<string>> {
  return new Set((await listOpenRows(sql, [runIds])).map((row) => row.run_id));
}

const insertItems = statement(
  'runs_insert_digest_items',
  `insert into digest_items (run_id, source_run_id, item)
   select run_id, source_run_id, item from json_to_recordset($1::json) as (run_id uuid, source_run_id uuid, item json)`,
);

const listItemRows = statement<{ run_id: string; item: JsonObject }>(
  'runs_list_digest_items',
  'select run_id, item from digest_items where run_id = any ($1::uuid[]) order by run_id, source_run_id',
);

/** Items are in the order in which their runs were triggered. */
export function listItems(sql: Sql, runIds: string[]): Promise<{ run_id: string; item: JsonObject }[]> {
  return listItemRows(sql, [runIds]);
}

const deleteItemRows = statement(
  'runs_delete_digest_items',
  'delete from digest_items where run_id = any ($1::uuid[])',
);

export async function deleteItems(sql: Sql, runIds: string[]): Promise<void> {
  if (runIds.length > 0) await deleteItemRows(sql, [runIds]);
}
