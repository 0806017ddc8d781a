import { transaction, untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { isLoopHeld, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Claim, Job } from '../../../queue/index.ts';
import { dueSlots } from './due.ts';
import { recordMissed } from './events.ts';
import { runDefinition, type StartDeps, startSlice } from './start.ts';
import * as store from './store.ts';
import { timerDueAt, timerTimes } from './timing.ts';
import { timingIn } from './view.ts';

/** A claim is the timer of a schedule (no fact), or what one slot starts. */
export function createScheduleJob(deps: Pick<Deps, 'clock'> & StartDeps): Job<store.LoadedScheduleRun> {
  const { pool, queue, clock } = deps;

  /**
   * Begins what is due and sets the timer to the next slot, in one transaction: a slot begins once, whatever is killed when.
   * The runs are started by another work item, so that a large audience does not delay the next slot.
   */
  async function fire(claim: Claim): Promise<void> {
    const rings = await transaction(pool, async (tx) => {
      const none = { schedule: false, webhook: false };
      if ((await queue.finish(tx, 'schedule', [claim.id])).length === 0) return none;
      const schedule = await store.lockByTimer(tx, claim.id);
      if (schedule?.status !== 'active' || !schedule.next_slot) return none;
      const { id, environment_id, key, now } = schedule;
      const slot = schedule.next_slot.getTime();
      const timing = timingIn(schedule);
      // A thousand missed slots take 10 ms, and many timers are late together after an outage.
      while (isLoopHeld()) await yieldToEventLoop();
      const { run, missed, next } = dueSlots(timing, schedule.missed_runs, slot, now);
      const base = { environment_id, schedule_id: id, is_manual: false };
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
        await recordMissed(
          tx,
          queue,
          { ...base, schedule_key: key },
          { reason: 'late', detail: null, missed, isRunLate },
        );
      }
      let begins = false;
      if (run !== null) {
        const runId = newId(clock());
        begins = await store.insertScheduleRun(tx, {
          ...base,
          id: runId,
          slot: new Date(run),
          status: 'running',
          definition: runDefinition(schedule, false),
          missed_count: missed?.count ?? 0,
        });
        if (begins)
          await queue.enqueue(tx, [
            { kind: 'schedule', id: runId, lane: 'normal', environmentId: environment_id },
          ]);
      }
      const times = timerTimes(timing, next, now);
      await store.moveTimer(tx, id, times);
      const runAt = timerDueAt(times);
      if (runAt)
        await queue.postpone(tx, [
          { kind: 'schedule', id: claim.id, lane: 'normal', environmentId: environment_id, runAt },
        ]);
      return { schedule: begins, webhook: missed !== null };
    });
    if (rings.schedule) queue.ring('schedule');
    if (rings.webhook) queue.ring('webhook_delivery');
  }

  return {
    batch: 50,
    capacity: 100,
    load: (claims) =>
      untilDatabaseAnswers(async () => {
        const ids = claims.map(({ id }) => id);
        return new Map((await store.listRunsByIds(pool, ids)).map((row) => [row.id, row]));
      }),
    run: (claim, row) => untilDatabaseAnswers(() => (row ? startSlice(deps, claim, row) : fire(claim))),
  };
}
