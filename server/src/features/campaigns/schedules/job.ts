import { type Sql, untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Job, runSlice, type SliceEnd, type WorkKind } from '../../../queue/index.ts';
import { dueSlots, recordMissed } from './due.ts';
import { runDefinition, type StartDeps, startSlice } from './start.ts';
import * as store from './store.ts';
import { timerDueAt, timerTimes } from './timing.ts';
import { timingIn } from './view.ts';

/** A claim is the timer of a schedule (no input), or what one slot starts. */
export function createScheduleJob(deps: Pick<Deps, 'clock'> & StartDeps): Job<store.LoadedScheduleRun> {
  return {
    batch: 50,
    capacity: 100,
    load: (claims) =>
      untilDatabaseAnswers(async () => {
        const ids = claims.map(({ id }) => id);
        return new Map((await store.listRunsByIds(deps.pool, ids)).map((row) => [row.id, row]));
      }),
    run: (claim, row) =>
      row ? startSlice(deps, claim, row) : runSlice(deps, claim, (tx) => fire(tx, deps, claim.id)),
  };
}

/**
 * Begins what is due and sets the timer to the next slot, in one transaction: a slot begins once, even when processes are killed.
 * The runs are started by another work item, so that a large audience does not delay the next slot.
 */
async function fire(
  tx: Sql,
  { queue, clock }: Pick<Deps, 'queue' | 'clock'>,
  timerId: string,
): Promise<SliceEnd | null> {
  const schedule = await store.lockByTimer(tx, timerId);
  if (schedule?.status !== 'active' || !schedule.next_slot) return null;
  const { id, environment_id, key, now } = schedule;
  const timing = timingIn(schedule);
  // A thousand missed slots take 10 ms, and many timers are late together after an outage.
  while (shouldYield()) await yieldToEventLoop();
  const { run, missed, next } = dueSlots(timing, schedule.missed_runs, schedule.next_slot.getTime(), now);
  const base = { environment_id, schedule_id: id, is_manual: false };
  const rings: WorkKind[] = [];
  if (missed) {
    const isRunLate = run !== null;
    if (!isRunLate)
      await store.insertScheduleRun(tx, {
        ...base,
        id: newId(clock()),
        slot: new Date(missed.last),
        status: 'missed',
        definition: null,
        missed_count: missed.count,
      });
    const missedOf = { ...base, schedule_key: key };
    await recordMissed(tx, queue, missedOf, { reason: 'late', detail: null, missed, isRunLate });
    rings.push('webhook_delivery');
  }
  if (run !== null) {
    const runId = newId(clock());
    const begins = await store.insertScheduleRun(tx, {
      ...base,
      id: runId,
      slot: new Date(run),
      status: 'running',
      definition: runDefinition(schedule, false),
      missed_count: missed?.count ?? 0,
    });
    if (begins) {
      await queue.enqueue(tx, [
        { kind: 'schedule', id: runId, lane: 'normal', environmentId: environment_id },
      ]);
      rings.push('schedule');
    }
  }
  const times = timerTimes(timing, next, now);
  await store.moveTimer(tx, id, times);
  return { next: timerDueAt(times), lane: 'normal', rings };
}
