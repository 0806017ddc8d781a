import type { BroadcastDefinition, BroadcastService } from '../broadcasts/index.ts';
import { onTimeMs } from './due.ts';
import { type SlotSlice, sliceProgress } from './slice.ts';
import type { LoadedScheduleRun, RunDefinition } from './store.ts';
import type { ScheduledBroadcast } from './target.ts';
import { localTimeOf } from './timing.ts';

/** The broadcast of a slot. It is written in the transaction that ends the slot, so a slot starts one. */
export async function broadcastSlice(
  broadcasts: Pick<BroadcastService, 'check' | 'start'>,
  row: LoadedScheduleRun,
  definition: RunDefinition,
  { broadcast }: ScheduledBroadcast,
): Promise<SlotSlice> {
  const checked = definition.perRecipient
    ? await broadcasts.check(
        row.sender,
        broadcastAt(broadcast, localTimeOf(row.slot.getTime()), definition.timezone),
        periodOf(definition, row.now),
      )
    : await broadcasts.check(row.sender, broadcast);
  return {
    async write(tx) {
      await broadcasts.start(tx, checked);
      return sliceProgress(row.id, { broadcastId: checked.id, started: 1 });
    },
    rings: ['broadcast'],
  };
}

/** The broadcast at a local time of each recipient: broadcasts apply the time zones themselves. */
export function broadcastAt(
  broadcast: ScheduledBroadcast['broadcast'],
  localTime: string,
  timezone: string,
): BroadcastDefinition {
  return { ...broadcast, send_at_local: localTime, timezone };
}

/** Recipients for whom the time was missed are left out, unless they get it late. */
function periodOf({ notBefore, notAfter, runsLate }: RunDefinition, now: number) {
  const from = runsLate ? notBefore : Math.max(notBefore ?? 0, now - onTimeMs);
  return {
    from: from === null ? null : new Date(from),
    until: notAfter === null ? null : new Date(notAfter),
  };
}
