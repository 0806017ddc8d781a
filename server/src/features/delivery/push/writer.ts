import { type AfterCommit, createOutcomeWriter } from '../../../db/batched-writer.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Claim, finishLeased, type PostponedWork, type Work } from '../../../queue/index.ts';
import type { DevicePush, PushNote } from './ring.ts';
import {
  addTraceEntries,
  deleteGoneDevices,
  listSeenItems,
  markDeviceOutcomes,
  type TraceAddition,
} from './ring-store.ts';

/** The result of a claim. */
export interface PushResult {
  claim: Claim;
  /** The items that rang, or were withdrawn, with their new trace entries. */
  traces: TraceAddition[];
  pushes: DevicePush[];
  /** When the first call began: a device that was registered since is not removed. */
  startedAt: number;
  /** The work for the devices that are left; null when none are. */
  next: { note: PushNote; runAt: Date } | null;
}

/** The result of a claim for which nothing was sent. */
export function noPush(claim: Claim, traces: TraceAddition[] = []): PushResult {
  return { claim, traces, pushes: [], startedAt: 0, next: null };
}

/** Writes the results in micro-batches: the trace, the state of devices, and the next work. */
export function createPushWriter(deps: Pick<Deps, 'pool' | 'queue' | 'log' | 'metrics'>): {
  end(result: PushResult): Promise<void>;
} {
  const { queue } = deps;

  async function write(tx: Sql, results: PushResult[]): Promise<AfterCommit> {
    const mine = await finishLeased(tx, queue, 'push', results);
    await addTraceEntries(tx, mergedTraces(mine));
    const last = new Map(mine.flatMap(({ pushes }) => pushes.map((push) => [push.device.id, push])));
    await markDeviceOutcomes(
      tx,
      [...last.values()]
        .filter(({ outcome }) => outcome.kind !== 'gone' && outcome.kind !== 'skipped')
        .map(({ device, outcome, at }) => ({
          id: device.id,
          outcome: outcome.kind,
          detail: outcome.detail,
          at: new Date(at).toISOString(),
        })),
    );
    await deleteGoneDevices(tx, goneIn(mine));
    await queue.postpone(tx, mine.flatMap(nextWork));
    const withdrawals = await withdrawalsOf(tx, mine);
    await queue.enqueue(tx, withdrawals);
    return (): undefined => {
      if (withdrawals.length > 0) queue.ring('push');
    };
  }

  /** An item that was read while it rang: the withdrawal of the reader may have overtaken the push. */
  async function withdrawalsOf(tx: Sql, results: PushResult[]): Promise<Work[]> {
    const rung = results.filter(({ claim, pushes }) => pushes.length > 0 && !noteOf(claim).withdraw);
    const seen = await listSeenItems(
      tx,
      rung.map(({ claim }) => itemIdOf(claim)),
    );
    return seen.map((item) => ({
      kind: 'push',
      id: newId(),
      lane: 'normal',
      environmentId: item.environment_id,
      note: { withdraw: { external_user_id: item.external_user_id, ids: [item.id] } } satisfies PushNote,
    }));
  }

  return {
    // A push that is lost here would ring again: the device replaces the first by the second.
    end: createOutcomeWriter(deps, write, {
      kind: 'push',
      idOf: ({ claim }) => claim.id,
      concurrency: 2,
      maxItems: 10,
    }),
  };
}

export function noteOf({ note }: Claim): PushNote {
  return (note ?? {}) as PushNote;
}

/** The item that rings. */
export function itemIdOf(claim: Claim): string {
  return noteOf(claim).returned ?? claim.id;
}

function nextWork({ claim, next }: PushResult): PostponedWork[] {
  if (!next) return [];
  const { id, lane, environmentId } = claim;
  return [{ kind: 'push', id, lane, environmentId, note: next.note, runAt: next.runAt }];
}

/** Several withdrawals may be about one notification. */
function mergedTraces(results: PushResult[]): TraceAddition[] {
  const merged = new Map<string, TraceAddition>();
  for (const addition of results.flatMap(({ traces }) => traces)) {
    const known = merged.get(addition.id);
    merged.set(addition.id, known ? { ...known, trace: [...known.trace, ...addition.trace] } : addition);
  }
  return [...merged.values()];
}

function goneIn(results: PushResult[]): { id: string; before: Date }[] {
  return results.flatMap(({ pushes, startedAt }) =>
    pushes
      .filter(({ outcome }) => outcome.kind === 'gone')
      .map(({ device }) => ({ id: device.id, before: new Date(startedAt) })),
  );
}
