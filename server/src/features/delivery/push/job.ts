import { setTimeout as pause } from 'node:timers/promises';
import { textTask } from '../../../channels/email/text.ts';
import type { PushMessage } from '../../../channels/in-app/push/contract.ts';
import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { yieldToEventLoop } from '../../../kernel/event-loop.ts';
import type { Claim, Job } from '../../../queue/index.ts';
import { TaskStopped } from '../../../threads/task.ts';
import type { Brake } from '../../control/brake/index.ts';
import { createPushLoader, type PushJobInput, type PushLoadDeps } from './load.ts';
import { type DevicePush, decisionOf, nextAttempt, type PushNote, ringMessage, traceOf } from './ring.ts';
import type { RingRow } from './ring-store.ts';
import { createPushWriter, itemIdOf, noPush, noteOf, type PushResult } from './writer.ts';

type JobDeps = Pick<Deps, 'queue' | 'config' | 'tasks' | 'metrics' | 'log'> &
  PushLoadDeps & { brake: Pick<Brake, 'describeFreeze'> };

const capacity = 400;
/** Devices of one user that are called at the same time. */
const maxDeviceCalls = 5;
/** All calls of one claim; each has its own deadline, too. */
const claimTimeoutMs = 120_000;

/**
 * The job that rings devices and withdraws pushes. It has leases of its own, and an environment holds at most 25 of them: however many
 * devices ring, other work goes on.
 */
export function createPushJob(deps: JobDeps): Job<PushJobInput> {
  const { queue, clock } = deps;
  const tasks = deps.tasks.unlimited;
  const load = createPushLoader(deps);
  const writer = createPushWriter(deps);
  const loopShare = createLoopShare();
  const concurrency = queue.concurrencyLimits('push', {
    total: capacity * 0.75, // the capacity of the normal lane
    maxConcurrent: 25,
    maxConcurrentWhenFailing: 10,
  });

  async function run(claim: Claim, input: PushJobInput | undefined): Promise<void> {
    // Work that was parked asks for its permit in any case: the next is unparked only then.
    const permit = await concurrency.acquire(claim, claim.environmentId);
    if (!permit) return;
    const isIdle =
      !input || input.devices.length === 0 || (input.withdrawn ? input.withdrawn.length === 0 : !input.item);
    // A push that comes after the freeze is noise: the item is in the inbox.
    const isStoppable = !input?.withdrawn && claim.lane !== 'critical';
    const frozen = isStoppable ? deps.brake.describeFreeze(claim.environmentId, 'in_app') : null;
    if (isIdle || frozen || input.item?.is_open) {
      permit.release(true);
      if (isIdle) return writer.end(noPush(claim));
      const reason = decisionOf('not_rung', frozen ?? 'The inbox is open on a visible page.', clock());
      return writer.end(noPush(claim, [traceAddition(input, itemIdOf(claim), [reason])]));
    }
    let answered = true;
    let result: PushResult;
    try {
      result = input.withdrawn ? await withdrawFrom(claim, input, input.withdrawn) : await ring(claim, input);
      answered = result.pushes.length === 0 || result.pushes.some(({ outcome }) => outcome.kind !== 'retry');
    } finally {
      permit.release(answered);
    }
    await writer.end(result);
  }

  async function ring(claim: Claim, input: PushJobInput): Promise<PushResult> {
    const { item } = input;
    if (!item) return noPush(claim);
    const message = ringMessage(item, await textOf(item), claim.lane);
    const startedAt = clock();
    const pushes = await pushTo(input, message, item.id);
    return {
      ...resultOf(claim, pushes, startedAt),
      traces: [traceAddition(input, item.id, pushes.map(traceOf))],
    };
  }

  async function withdrawFrom(claim: Claim, input: PushJobInput, ids: string[]): Promise<PushResult> {
    if (!input.sender.canWithdraw) return noPush(claim);
    const startedAt = clock();
    const pushes = await pushTo(input, { type: 'withdraw', ids }, claim.id);
    const accepted = pushes.filter(({ outcome }) => outcome.kind === 'accepted').length;
    const detail = `Withdrawn from ${accepted} of ${pushes.length} devices: the item was read or archived.`;
    const entry = decisionOf('withdrawn', detail, clock());
    return {
      ...resultOf(claim, pushes, startedAt),
      traces: ids.map((id) => traceAddition(input, id, [entry])),
    };
  }

  function resultOf(claim: Claim, pushes: DevicePush[], startedAt: number): Omit<PushResult, 'traces'> {
    const note = noteOf(claim);
    const next = nextAttempt(pushes, note.attempts ?? 0, {
      now: clock(),
      retryScale: deps.config.CARILLON_RETRY_SCALE,
      chance: Math.random(),
    });
    const nextNote: PushNote | null = next && { ...note, devices: next.devices, attempts: next.attempts };
    return { claim, pushes, startedAt, next: next && nextNote && { note: nextNote, runAt: next.runAt } };
  }

  /** Plain text: that of the item, or else that of its HTML. A text that cannot be made is no reason not to ring. */
  async function textOf({
    environment_id: owner,
    text_body: text,
    html_body: html,
  }: RingRow): Promise<string> {
    if (text !== null || html === null) return text ?? '';
    try {
      return await tasks.run(textTask, owner, html);
    } catch (error) {
      if (error instanceof TaskStopped) return '';
      throw error;
    }
  }

  async function pushTo(
    input: PushJobInput,
    message: PushMessage,
    notificationId: string,
  ): Promise<DevicePush[]> {
    const pushes: DevicePush[] = [];
    const claimBegan = performance.now();
    const queued = input.devices.values();
    const signal = AbortSignal.timeout(claimTimeoutMs);
    async function takeDevices(): Promise<void> {
      for (const device of queued) {
        await loopShare.acquire(claimBegan);
        const startedAt = performance.now();
        const outcome = await input.sender.send(device, message, notificationId, signal);
        deps.metrics.pushes.inc({ kind: device.kind, outcome: outcome.kind });
        pushes.push({ device, outcome, at: clock(), latencyMs: Math.round(performance.now() - startedAt) });
      }
    }
    await Promise.all(Array.from({ length: maxDeviceCalls }, takeDevices));
    return pushes;
  }

  return {
    batch: 10, // of up to 100 devices each
    capacity,
    load: (claims) => untilDatabaseAnswers(() => load(claims)),
    run,
  };
}

function traceAddition(
  { environmentId }: PushJobInput,
  id: string,
  trace: PushResult['traces'][number]['trace'],
) {
  return { id, environment_id: environmentId, trace };
}

/** Pushes may use the process for this long. */
const sliceMs = 2;
/** Then they wait until the event loop was idle for half of the time since, but no longer than this. */
const maxUtilization = 0.5;
const longestPauseMs = 20;

/**
 * Bounds the share of the event loop that pushes use: one starts in each iteration, so that thousands of them do not delay other work.
 * Those of the claim that began first start first: claims end, and are written, one after the other.
 */
function createLoopShare(): { acquire(claimBegan: number): Promise<void> } {
  const waiting: { claimBegan: number; start(): void }[] = [];
  let isStarting = false;
  let slice = { began: 0, before: performance.eventLoopUtilization() };

  async function startWaiting(): Promise<void> {
    isStarting = true;
    while (waiting.length > 0) {
      await yieldToOtherWork();
      const first = waiting.reduce((one, other) => (other.claimBegan < one.claimBegan ? other : one));
      waiting.splice(waiting.indexOf(first), 1);
      first.start();
    }
    isStarting = false;
  }

  async function yieldToOtherWork(): Promise<void> {
    const now = performance.now();
    if (now - slice.began < sliceMs) return yieldToEventLoop();
    do await pause(sliceMs);
    while (
      performance.eventLoopUtilization(slice.before).utilization > maxUtilization &&
      performance.now() - now < longestPauseMs
    );
    slice = { began: performance.now(), before: performance.eventLoopUtilization() };
  }

  return {
    acquire(claimBegan) {
      return new Promise((start) => {
        waiting.push({ claimBegan, start });
        if (!isStarting) void startWaiting();
      });
    },
  };
}
