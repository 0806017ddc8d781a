import { type Sql, transaction, untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { WaitForEventEffect } from '../../engine/index.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import type { Claim } from '../../queue/index.ts';
import type { Drafts } from '../notifications/index.ts';
import { listHeard, recordHeard } from '../webhooks/index.ts';
import { joinDigests } from './digests.ts';
import {
  cancelling,
  type Ending,
  factOf,
  type Held,
  type NextWork,
  resolve,
  type TurnEnding,
  workOf,
} from './resolve.ts';
import * as sends from './sends-store.ts';
import { upsertSteps } from './steps-store.ts';
import { lockRuns, updateRuns } from './store.ts';
import { continued, refusedAt, type Turn, type TurnFact } from './turn.ts';
import { endedEvent, hasEnded, stepWritesOf, updateOf } from './view.ts';
import * as waits from './waits-store.ts';

export interface RunWriter {
  end(ending: Ending): Promise<void>;
}

/** What runs write, in micro-batches: one transaction for the leases, the runs, their timelines, their sends and what is next. */
export function createRunWriter({ pool, queue }: Pick<Deps, 'pool' | 'queue'>, drafts: Drafts): RunWriter {
  async function write(endings: Ending[]): Promise<undefined[]> {
    const { sent, rings } = await transaction(pool, async (tx, lastly) => {
      const ids = endings.map(({ claim }) => claim.id);
      const [, finished, statuses] = await Promise.all([
        waits.lockWaitKeys(tx, 'wait', endings.flatMap(lookbackKeyOf)),
        queue.finish(tx, 'run', ids),
        lockRuns(tx, ids),
      ]);
      const held = new Set(finished);
      const mine = endings.filter(
        (ending): ending is Held =>
          ending.kind !== 'gone' && held.has(ending.claim.id) && statuses.has(ending.claim.id),
      );
      const { turns, next } = await resolve(
        tx,
        lastly,
        mine.map((ending) => {
          const isCancelled =
            statuses.get(ending.claim.id) === 'cancelling' && factOf(ending).status !== 'cancelling';
          return isCancelled ? cancelling(ending) : ending;
        }),
      );

      const settled = await withinPlan(tx, turns);
      const digested = await joinAll(tx, settled);
      const waiting = await beginWaits(tx, digested.turns);
      for (const { claim, turn } of digested.turns) {
        const hurry = waiting.has(turn.fact.id) || digested.full.has(turn.fact.id);
        next.push(...nextWork(claim, turn, hurry));
      }
      const heard = await listHeard(
        tx,
        digested.turns.flatMap(({ turn }) => endedEvent(turn)),
      );

      // Waiting work before turns, as whoever promotes due work takes them.
      if (digested.others.length > 0) lastly(queue.hasten(tx, 'run', digested.others));
      lastly(
        updateRuns(
          tx,
          digested.turns.map(({ turn }) => updateOf(turn)),
        ),
      );
      lastly(
        upsertSteps(
          tx,
          digested.turns.flatMap(({ turn }) => stepWritesOf(turn)),
        ),
      );
      const sent = digested.turns.flatMap(({ turn }) => turn.sends.map(({ draft }) => draft));
      drafts.write(tx, lastly, sent);
      lastly(
        queue.postpone(
          tx,
          next.flatMap((work) => (work.runAt ? { ...work, runAt: work.runAt } : [])),
        ),
      );
      const ready = next.filter((work) => !work.runAt);
      lastly(queue.enqueue(tx, ready));
      const told = heard.length > 0 && (await recordHeard(tx, queue, heard)).length > 0;
      return {
        sent,
        rings: {
          notification: sent.length > 0,
          run: ready.length + digested.others.length > 0,
          webhook_delivery: told,
        },
      };
    });
    drafts.written(sent);
    for (const kind of ['notification', 'run', 'webhook_delivery'] as const)
      if (rings[kind]) queue.ring(kind);
    return endings.map(() => undefined);
  }

  /** A plan may be used up since the sends were checked. */
  async function withinPlan(tx: Sql, turns: TurnEnding[]): Promise<TurnEnding[]> {
    const refused = await drafts.refused(
      tx,
      turns.flatMap(({ turn }) => turn.sends.map(({ draft }) => draft)),
    );
    if (refused.size === 0) return turns;
    return turns.map((ending) => {
      const index = ending.turn.sends.findIndex(({ draft }) => refused.has(draft.id));
      const problem = refused.get(ending.turn.sends[index]?.draft.id ?? '');
      return problem ? { ...ending, turn: refusedAt(ending.turn, index, problem) } : ending;
    });
  }

  /** `full`: survivors of this batch that need not wait; `others`: survivors that wait already and need not go on doing so. */
  async function joinAll(
    tx: Sql,
    turns: TurnEnding[],
  ): Promise<{ turns: TurnEnding[]; full: Set<string>; others: string[] }> {
    const joins = turns.flatMap(({ turn: { fact, decision } }) =>
      decision.effect?.kind === 'join_digest'
        ? [{ runId: fact.id, workflowId: fact.workflow_id, effect: decision.effect, now: fact.now }]
        : [],
    );
    const { inputs, full } = await joinDigests(tx, joins);
    const joined = turns.map((ending) => {
      const input = inputs.get(ending.turn.fact.id);
      return input ? { ...ending, turn: continued(ending.turn, input) } : ending;
    });
    return { turns: joined, full, others: [...full].filter((id) => !inputs.has(id)) };
  }

  /** Returns the runs that need not wait: what they wait for has come already. */
  async function beginWaits(tx: Sql, turns: TurnEnding[]): Promise<Set<string>> {
    const begun = turns.flatMap(({ turn: { fact, decision } }) => {
      const { effect } = decision;
      if (effect?.kind !== 'wait_for_event') return [];
      return [{ run_id: fact.id, wait_key: waitKeyFor(fact, effect), lookback: effect.lookback }];
    });
    const awaited = turns.flatMap(({ turn: { fact, decision } }) => {
      const { effect } = decision;
      if (effect?.kind !== 'await_notification') return [];
      return [{ notification_id: effect.notificationId, run_id: fact.id, wait_for: effect.waitFor }];
    });
    const looking = begun.filter(({ lookback }) => lookback);
    await Promise.all([waits.insertWaits(tx, begun), sends.insertSends(tx, awaited)]);
    // An event that a run has had in this very turn must not be found again.
    const heard = looking.length === 0 ? [] : turns.flatMap(({ turn }) => stepWritesOf(turn));
    await upsertSteps(
      tx,
      heard.filter(({ eventId }) => eventId !== null),
    );
    const past = await waits.listPastEvents(tx, looking);
    await waits.claimWaits(tx, past);
    return new Set(past.map(({ runId }) => runId));
  }

  const batcher = createBatcher<Ending, undefined>(
    // Rows are locked in one order wherever that is possible; where it is not, a deadlock is a reason to write again.
    (endings) => untilDatabaseAnswers(() => write(endings)),
    { concurrency: 2, maxItems: 200, weigh, maxWeight: 1_000_000 }, // eight times as much takes 70 ms to write as JSON
  );
  return { end: (ending) => batcher.add(ending) };
}

/** No turn that is changed while it is written comes to wait for another event: it ends, or collects a digest. */
function lookbackKeyOf(ending: Ending): string[] {
  if (ending.kind !== 'turn') return [];
  const { fact, decision } = ending.turn;
  return decision.effect?.kind === 'wait_for_event' && decision.effect.lookback
    ? [waitKeyFor(fact, decision.effect)]
    : [];
}

function waitKeyFor(fact: TurnFact, { eventName, matchKey }: WaitForEventEffect): string {
  return waits.waitKeyOf(fact.workflow_id, eventName, matchKey);
}

function nextWork(claim: Claim, turn: Turn, hurry: boolean): NextWork[] {
  if (hasEnded(turn)) return [];
  const { effect } = turn.decision;
  const until = effect && 'until' in effect ? effect.until : 0;
  const isNow = hurry || until <= turn.fact.now;
  return [{ ...workOf(claim), runAt: isNow ? null : new Date(until) }];
}

/** About how many characters it writes: what runs remember and send may be large. */
function weigh(ending: Ending): number {
  if (ending.kind !== 'turn') return 0;
  const { decision, sends: sent } = ending.turn;
  const words = sent.map(({ draft: { acceptance } }) => {
    const { html_body, text_body } = acceptance.content;
    return (html_body?.length ?? 0) + (text_body?.length ?? 0);
  });
  return words.reduce((sum, length) => sum + length, JSON.stringify(decision.state).length);
}
