import type { PushOutcome, PushUrgency, RingMessage } from '../../../channels/in-app/push/contract.ts';
import { cutText } from '../../../channels/in-app/push/payload.ts';
import { ringDelayMs } from '../../../channels/in-app/push/ring-setting.ts';
import type { Sql } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import {
  minute,
  type RetryContext,
  type RetrySchedule,
  retryDelayMs,
  second,
} from '../../../kernel/retry-schedule.ts';
import type { Lane, Queue } from '../../../queue/index.ts';
import type { StoredTraceEntry } from '../../notifications/notifications/index.ts';
import { type ArrivedItem, listRingSettings, type RingRow } from './ring-store.ts';
import type { DeviceRow } from './store.ts';

/** The note of the work. Without one, the item whose id it has rings for the first time. */
export interface PushNote {
  /** The item that rings again, because it returned from a snooze. */
  returned?: string;
  /** The user and the items whose pushes are withdrawn; absent when the item rings. */
  withdraw?: { external_user_id: string; ids: string[] };
  /** The devices that are left; absent when it is all of them. */
  devices?: string[];
  /** Failed attempts so far. */
  attempts?: number;
}

/** A push that comes an hour late is noise: the item is in the inbox in any case. */
const pushSchedule: RetrySchedule = {
  delaysMs: [15 * second, minute, 5 * minute, 15 * minute, 30 * minute],
  jitter: 0.2,
  longestAskedMs: 60 * minute,
};

const byLane: Record<Lane, { urgency: PushUrgency; ttlSeconds: number }> = {
  critical: { urgency: 'high', ttlSeconds: 86_400 },
  normal: { urgency: 'normal', ttlSeconds: 86_400 },
  bulk: { urgency: 'low', ttlSeconds: 4 * 3_600 },
};

const maxTitle = 200;

/** The push of an item; `text` is the plain text of its body. */
export function ringMessage(
  { id, subject, action_url: url }: Pick<RingRow, 'id' | 'subject' | 'action_url'>,
  text: string,
  lane: Lane,
): RingMessage {
  const lines = text.split('\n').map((line) => line.trim());
  const body = lines.filter((line) => line !== '').join('\n');
  const title = subject?.trim();
  // Every platform wants a title: without a subject, it is the first line.
  const [firstLine = ''] = body.split('\n', 1);
  return {
    type: 'ring',
    id,
    title: title || cutText(firstLine, maxTitle),
    body: title || firstLine.length > maxTitle ? body : body.slice(firstLine.length).trim(),
    url,
    ...byLane[lane],
  };
}

/** The outcome of one push to one device. */
export interface DevicePush {
  device: Pick<DeviceRow, 'id' | 'kind' | 'service'>;
  outcome: PushOutcome;
  at: number;
  latencyMs: number;
}

/** The devices to try again, and when; null when none are left. */
export function nextAttempt(
  pushes: readonly DevicePush[],
  attempts: number,
  context: RetryContext,
): { devices: string[]; attempts: number; runAt: Date } | null {
  const left = pushes.filter(({ outcome }) => outcome.kind === 'retry' || outcome.kind === 'throttled');
  if (left.length === 0) return null;
  const askedMs = Math.max(...left.map(({ outcome }) => outcome.retryAfterMs ?? 0));
  const delayMs = retryDelayMs(pushSchedule, attempts + 1, context, askedMs);
  if (delayMs === null) return null;
  return {
    devices: left.map(({ device }) => device.id),
    attempts: attempts + 1,
    runAt: new Date(context.now + delayMs),
  };
}

/** What the trace of the notification says about a push. */
export function traceOf({ device, outcome, at, latencyMs }: DevicePush): StoredTraceEntry {
  return {
    at: new Date(at).toISOString(),
    kind: 'attempt',
    name: 'push',
    provider_kind: device.kind,
    verdict: outcome.kind,
    detail: `Device ${device.id} at ${device.service}: ${outcome.detail}`,
    code: outcome.code,
    provider_message_id: null,
    latency_ms: latencyMs,
  };
}

export function decisionOf(verdict: string, detail: string, now: number): StoredTraceEntry {
  return { at: new Date(now).toISOString(), kind: 'decision', name: 'push', verdict, detail };
}

/** An item that may ring, and the lane of the work. */
interface RingingItem extends ArrivedItem {
  lane: Lane;
  /** It returned from a snooze. Its first ring may still be under way, so the second is work of its own. */
  isReturned?: boolean;
}

/**
 * Writes the work that rings the devices, in the transaction that delivers the items. Only for items of environments with push
 * settings. Returns true when some of it is ready: ring `push` after the commit.
 */
export async function planRings(
  tx: Sql,
  queue: Pick<Queue, 'enqueue' | 'postpone'>,
  arrived: RingingItem[],
  now: number,
): Promise<boolean> {
  if (arrived.length === 0) return false;
  const items = new Map(arrived.map((item) => [item.id, item]));
  const work = (await listRingSettings(tx, arrived)).flatMap(({ id, ring }) => {
    const item = items.get(id);
    const delayMs = ringDelayMs(ring);
    if (!item || delayMs === null) return [];
    const note: PushNote | null = item.isReturned ? { returned: id } : null;
    return [
      {
        kind: 'push' as const,
        id: note ? newId(now) : id,
        lane: item.lane,
        environmentId: item.environment_id,
        note,
        delayMs,
      },
    ];
  });
  const ready = work.filter(({ delayMs }) => delayMs === 0);
  await queue.enqueue(tx, ready);
  await queue.postpone(
    tx,
    work
      .filter(({ delayMs }) => delayMs > 0)
      .map(({ delayMs, ...later }) => ({ ...later, runAt: new Date(now + delayMs) })),
  );
  return ready.length > 0;
}
