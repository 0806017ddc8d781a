import type { Config } from '../../../config.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import { postponedIdsSql, type Queue } from '../../../queue/index.ts';
import { hasLimit, lockPlans, refuseBeyondPlan } from '../../control/usage/index.ts';
import type { Sender } from '../../notifications/notifications/index.ts';
import { countMembers, firstMember, listMembers } from '../../people/audiences/index.ts';
import { findSender } from '../../platform/accounts/index.ts';
import { findSenderProblem } from '../../providers/connections/index.ts';
import { recordEvents } from '../../webhooks/index.ts';
import { addChanges, takeChanges } from './counts-store.ts';
import { type BroadcastRecipient, chooseRecipients, insertRecipients } from './recipients.ts';
import type { BroadcastRow } from './store.ts';
import { nextSliceAt, sliceLimits, timeRecipients, withinPeriod } from './timing.ts';
import { viewOf } from './view.ts';

const listPostponed = statement<{ id: string }>(
  'broadcasts_list_postponed',
  // The ids of a broadcast lie in a range, which the index of the queue serves.
  `select n.id from (${postponedIdsSql('notification', '$1')}) waiting
   join notifications n on n.id = waiting.id
   where waiting.id >= $3 and waiting.id <= $4 and n.broadcast_id = $2
   order by waiting.id limit $5`,
);

/** Lists notifications of a broadcast that wait for a time: a local time, quiet hours, a retry, the end of a pause. */
async function listPostponedOf(
  sql: Sql,
  { id, environment_id, last_id }: { id: string; environment_id: string; last_id: string | null },
  from: string | null,
  limit: number,
): Promise<string[]> {
  if (from === null || last_id === null) return [];
  return (await listPostponed(sql, [environment_id, id, from, last_id, limit])).map((row) => row.id);
}

/** The result of one slice, which its transaction writes. */
export interface SliceResult {
  row: BroadcastRow;
  /** When the next slice follows; null when none does. */
  next: Date | 'now' | null;
  /** What the next slice needs to know of this one. */
  progress?: SliceProgress;
  /** The notifications that the slice created. */
  created?: { sender: Sender; recipients: readonly BroadcastRecipient[] };
  /** Kinds of work to ring after the commit. */
  rings?: readonly ('notification' | 'webhook_delivery')[];
}

export interface SliceProgress {
  /** Checks in a row that found nothing new. */
  idleChecks?: number;
  /** The last postponed notification that was woken after a cancellation. */
  wokenTo?: string;
  isLastPass?: boolean;
}

const changesPerSlice = 50_000;
/** Sends that are not finished are checked again after this; after many checks without a change, the wait doubles. */
const checkMs = 500;
const patientChecks = 60;
const longestCheckMs = 60_000;
const wokenPerSlice = 500;
/** A send that was in flight during the cancellation has ended by then, and may have been postponed. */
const lastPassMs = 180_000;

async function senderOf(tx: Sql, environmentId: string): Promise<Sender> {
  const sender = await findSender(tx, environmentId);
  if (!sender) throw new Error('a broadcast belongs to no environment');
  return { kind: 'job', ...sender };
}

/** Begins a scheduled broadcast; a channel whose provider was removed since the creation pauses it. */
export async function startSlice(tx: Sql, config: Config, row: BroadcastRow): Promise<SliceResult> {
  const { environmentId, environmentKind } = await senderOf(tx, row.environment_id);
  for (const channel of environmentKind === 'live' ? row.channels : []) {
    const problem = await findSenderProblem(tx, config, environmentId, channel);
    if (problem !== null) return { row: pausedRow(row, `provider_not_configured: ${problem}`), next: null };
  }
  return { row: { ...row, status: 'preparing' }, next: 'now' };
}

/** Counts the next part of the audience. */
export async function prepareSlice(tx: Sql, row: BroadcastRow, now: number): Promise<SliceResult> {
  const { result, next } = await countMembers(tx, row.environment_id, row.filter, row.cursor ?? firstMember);
  const total = row.total + result;
  if (next !== null) return { row: { ...row, total, cursor: next }, next: 'now' };
  const at = new Date(now);
  return {
    row: { ...row, status: 'running', total, cursor: firstMember, started_at: at, measured_at: at },
    next: 'now',
  };
}

/** Creates the notifications of the next users. A plan without room for them pauses the broadcast. */
export async function fanOutSlice(
  queue: Pick<Queue, 'tagsFor'>,
  tx: Sql,
  row: BroadcastRow,
  now: number,
): Promise<SliceResult> {
  const { environment_id: environmentId, cursor } = row;
  const after = cursor ?? firstMember;
  const limits = sliceLimits(row, now);
  const slice = await listMembers(tx, environmentId, row.filter, { after, limit: limits.members });
  const chosen = await chooseRecipients(tx, row, withinPeriod(row, slice.result), now);
  const sender = await senderOf(tx, environmentId);
  const wanted = chosen.slice(0, limits.recipients);
  const refusal = await findRefusal(tx, sender, wanted, now);
  const recipients = wanted.slice(0, refusal?.index);
  const { timed, moments } = timeRecipients(row, recipients, now);
  const meteredTo = sender.environmentKind === 'live' ? sender.organizationId : null;
  await insertRecipients(tx, queue, { broadcast: row, recipients: timed, meteredTo, now });

  const left = chosen[recipients.length]?.member;
  const handled = left ? slice.result.slice(0, slice.result.indexOf(left)) : slice.result;
  const ids = [row.first_id, row.last_id, recipients[0]?.id, recipients.at(-1)?.id].flatMap((id) => id ?? []);
  const fanned: BroadcastRow = {
    ...row,
    cursor: left ? (handled.at(-1)?.external_user_id ?? after) : slice.next,
    recipients: row.recipients + recipients.length,
    skipped: row.skipped + handled.length - recipients.length,
    counts: addChanges(row.counts, { queued: recipients.length }),
    local_moments: moments,
    first_id: ids.toSorted()[0] ?? null,
    last_id: ids.toSorted().at(-1) ?? null,
    last_send_at: latest([row.last_send_at, ...timed.map(({ sendAt }) => sendAt)]),
    next_slice_at: nextSliceAt(row, recipients.length, now),
  };
  const created = { sender, recipients };
  const rings = ['notification'] as const;
  if (refusal) return { row: pausedRow(fanned, refusal.reason), next: null, created, rings };
  const isFull = recipients.length === limits.recipients;
  return { row: fanned, next: (isFull && fanned.next_slice_at) || 'now', created, rings };
}

async function findRefusal(
  tx: Sql,
  sender: Sender,
  recipients: readonly BroadcastRecipient[],
  at: number,
): Promise<{ index: number; reason: string } | null> {
  const { environmentKind, organizationId, plan } = sender;
  if (environmentKind !== 'live') return null;
  const sends = recipients.map(({ id, channel }) => ({ id, organizationId, plan, channel, at }));
  if (!sends.some(hasLimit)) return null;
  await lockPlans(tx, sends);
  const refused = await refuseBeyondPlan(tx, sends);
  for (const [index, { id }] of recipients.entries()) {
    const problem = refused.get(id);
    if (problem) return { index, reason: `${problem.code}: ${problem.message}` };
  }
  return null;
}

function latest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((last, date) => (date && (!last || date > last) ? date : last), null);
}

export function pausedRow(row: BroadcastRow, reason: string | null): BroadcastRow {
  const from = row.status === 'scheduled' || row.status === 'preparing' ? row.status : 'running';
  return { ...row, status: 'paused', paused_from: from, pause_reason: reason };
}

/** Adds up what happened to the notifications, and ends the broadcast after the last one. */
export async function settleSlice(
  queue: Pick<Queue, 'enqueue' | 'postpone'>,
  tx: Sql,
  row: BroadcastRow,
  { idleChecks = 0 }: SliceProgress,
  now: number,
): Promise<SliceResult> {
  const changes = await takeChanges(tx, row.id, changesPerSlice);
  const counted = { ...row, counts: addChanges(row.counts, changes) };
  if ((counted.counts.queued ?? 0) > 0) {
    const idle = Object.keys(changes).length === 0 ? idleChecks + 1 : 0;
    const waitMs = Math.min(checkMs * 2 ** Math.max(0, idle - patientChecks), longestCheckMs);
    return { row: counted, next: new Date(now + waitMs), progress: { idleChecks: idle } };
  }
  const done: BroadcastRow = { ...counted, status: 'done', completed_at: new Date(now) };
  await recordEvents(tx, queue, [
    {
      environmentId: row.environment_id,
      type: 'broadcast.completed',
      data: { broadcast: viewOf(done, {}, now) },
    },
  ]);
  return { row: done, next: null, rings: ['webhook_delivery'] };
}

/** Makes notifications of a cancelled broadcast ready that wait for a time: the gate suppresses them. */
export async function cancelSlice(
  queue: Pick<Queue, 'runNow'>,
  tx: Sql,
  row: BroadcastRow,
  { wokenTo, isLastPass = false }: SliceProgress,
  now: number,
): Promise<SliceResult> {
  const changes = await takeChanges(tx, row.id, changesPerSlice);
  const counted = { ...row, counts: addChanges(row.counts, changes) };
  const ids = await listPostponedOf(tx, row, wokenTo ?? row.first_id, wokenPerSlice);
  await queue.runNow(tx, 'notification', ids);
  const rings = ['notification'] as const;
  const last = ids.at(-1);
  if (ids.length === wokenPerSlice && last)
    return { row: counted, next: 'now', progress: { wokenTo: last, isLastPass }, rings };
  if (isLastPass) return { row: counted, next: null, rings };
  return { row: counted, next: new Date(now + lastPassMs), progress: { isLastPass: true }, rings };
}
