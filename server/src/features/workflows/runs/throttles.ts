import { type Sql, statement } from '../../../db/sql.ts';
import { type Input, type TakeThrottleEffect, takePass } from '../../../engine/index.ts';
import { sha256 } from '../../../kernel/crypto.ts';

interface ThrottleRequest {
  runId: string;
  workflowId: string;
  effect: TakeThrottleEffect;
  now: number;
}

interface ThrottleRow {
  workflow_id: string;
  step_id: string;
  /** In hex. */
  key_hash: string;
  passes: number[];
}

const lockRows = statement<ThrottleRow>(
  'runs_lock_throttles',
  `insert into throttles as t (workflow_id, step_id, key_hash, passes, expires_at)
   select workflow_id, step_id, decode(key_hash, 'hex'), '{}', now()
   from json_to_recordset($1::json) as (workflow_id uuid, step_id text, key_hash text)
   order by workflow_id, step_id, key_hash -- everyone locks in this order: no deadlocks
   on conflict (workflow_id, step_id, key_hash) do update set passes = t.passes
   returning workflow_id, step_id, encode(key_hash, 'hex') as key_hash, passes::float8[]`,
);

const updateRows = statement(
  'runs_update_throttles',
  `update throttles t set passes = i.passes, expires_at = i.expires_at
   from json_to_recordset($1::json)
     as i (workflow_id uuid, step_id text, key_hash text, passes bigint[], expires_at timestamptz)
   where t.workflow_id = i.workflow_id and t.step_id = i.step_id and t.key_hash = decode(i.key_hash, 'hex')`,
);

/** Runs of the same key are answered in the order in which they were triggered. The locks last until the commit. */
export async function takeThrottles(tx: Sql, requests: ThrottleRequest[]): Promise<Map<string, Input>> {
  const answers = new Map<string, Input>();
  if (requests.length === 0) return answers;
  const groups = new Map<string, ThrottleRequest[]>();
  for (const request of [...requests].sort((a, b) => (a.runId < b.runId ? -1 : 1))) {
    const name = nameOf(keyOf(request));
    groups.set(name, [...(groups.get(name) ?? []), request]);
  }
  const keys = [...groups.values()].flatMap(([first]) => (first ? keyOf(first) : []));
  const rows = await lockRows(tx, [JSON.stringify(keys)]);
  const changed = rows.map((row) => {
    let { passes } = row;
    let expiresAt = 0;
    for (const { runId, effect, now } of groups.get(nameOf(row)) ?? []) {
      const taken = takePass(passes, now, effect);
      answers.set(runId, { kind: 'throttle_answered', at: taken.at });
      passes = taken.passes;
      expiresAt = Math.max(expiresAt, (passes.at(-1) ?? now) + effect.windowMs);
    }
    return { ...row, passes, expires_at: new Date(expiresAt).toISOString() };
  });
  await updateRows(tx, [JSON.stringify(changed)]);
  return answers;
}

type ThrottleKey = Omit<ThrottleRow, 'passes'>;

function keyOf({ workflowId, effect }: ThrottleRequest): ThrottleKey {
  return {
    workflow_id: workflowId,
    step_id: effect.stepId,
    key_hash: sha256(effect.key).toString('hex'),
  };
}

function nameOf({ workflow_id, step_id, key_hash }: ThrottleKey): string {
  return `${workflow_id} ${step_id} ${key_hash}`;
}

const deleteRows = statement(
  'runs_delete_expired_throttles',
  `delete from throttles where ctid = any (array(
     select ctid from throttles where expires_at < now() order by expires_at limit $1 for update skip locked))
   returning 1 as one`,
);

export async function deleteExpiredThrottles(sql: Sql, limit: number): Promise<number> {
  return (await deleteRows(sql, [limit])).length;
}
