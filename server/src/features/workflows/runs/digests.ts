import type { Sql } from '../../../db/sql.ts';
import type { Input, JoinDigestEffect } from '../../../engine/index.ts';
import * as store from './digests-store.ts';

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
  const open = await store.lockOrOpenDigests(
    tx,
    [...groups.values()].flatMap(([first]) =>
      first ? [{ ...keyOf(first), run_id: first.runId, closes_at: closingOf(first).toISOString() }] : [],
    ),
  );
  const left: store.OpenDigest[] = [];
  const gone: store.DigestKey[] = [];
  const items: Parameters<typeof store.insertItems>[1] = [];
  for (const digest of open) {
    let current: store.OpenDigest | null = digest;
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
    store.updateDigests(tx, left),
    store.deleteFullDigests(tx, gone),
    store.insertItems(tx, items),
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

function keyOf({ workflowId, effect }: DigestJoin): store.DigestKey {
  return { workflow_id: workflowId, step_id: effect.stepId, key: effect.key };
}

function nameOf({ workflow_id, step_id, key }: store.DigestKey): string {
  return JSON.stringify([workflow_id, step_id, key]);
}

function newDigest(join: DigestJoin): store.OpenDigest {
  return { ...keyOf(join), run_id: join.runId, item_count: 0, item_size: 0, closes_at: closingOf(join) };
}

function closingOf({ now, effect }: DigestJoin): Date {
  return new Date(now + effect.windowMs);
}
