import { localSendTime } from './definition.ts';
import type { BroadcastRecipient, TimedRecipient } from './recipients.ts';
import type { BroadcastRow } from './store.ts';

type Timing = Pick<
  BroadcastRow,
  | 'send_at_local'
  | 'local_from'
  | 'local_until'
  | 'timezone'
  | 'rate_per_second'
  | 'local_moments'
  | 'next_slice_at'
  | 'started_at'
  | 'recipients'
  | 'skipped'
>;

const sliceSize = 1_000;
/** A filter that few users meet would take too many slices of a low rate. */
const leastMembers = 100;
/** The queue looks for due work twice a second, so slices of a rate limit are half a second apart. */
const pacedSliceMs = 500;
/** A slice that comes late catches up with so much at most. */
const maxLagMs = 1_000;

/**
 * How many recipients the next slice may have, and how many users it reads to find them. A slice with fewer recipients is followed by
 * one that adds the others. Local times are paced by the times of the sends, not by the slices.
 */
export function sliceLimits(row: Timing, now: number): { recipients: number; members: number } {
  const rate = pacedRate(row);
  if (rate === null) return { recipients: sliceSize, members: sliceSize };
  const openMs = Math.min(now + pacedSliceMs - dueAt(row, now), pacedSliceMs);
  const recipients = Math.max(1, Math.ceil((rate * openMs) / 1_000));
  // Where few users have an address, a slice needs more of them; reading a thousand for each slice of a low rate would be waste.
  const perRecipient = (row.recipients + row.skipped + 1) / (row.recipients + 1);
  const members = Math.ceil(recipients * perRecipient);
  return { recipients, members: Math.min(Math.max(members, leastMembers), sliceSize) };
}

/** When the slice after one with so many recipients is due; null when the slices follow each other at once. */
export function nextSliceAt(row: Timing, recipients: number, now: number): Date | null {
  const rate = pacedRate(row);
  return rate === null ? null : new Date(dueAt(row, now) + Math.ceil((recipients * 1_000) / rate));
}

function pacedRate({ rate_per_second: rate, send_at_local: local }: Timing): number | null {
  return local === null ? rate : null;
}

function dueAt({ next_slice_at: due }: Timing, now: number): number {
  return Math.max(due?.getTime() ?? now, now - maxLagMs);
}

/** Leaves out the users whose local time is outside of the period that the broadcast was started for. */
export function withinPeriod<Member extends { timezone: string | null }>(
  { send_at_local: local, local_from: from, local_until: until, timezone }: Timing,
  members: readonly Member[],
): readonly Member[] {
  if (local === null || (from === null && until === null)) return members;
  const momentIn = localMoments(local, timezone);
  return members.filter((member) => {
    const moment = momentIn(member.timezone);
    return (from === null || moment >= from.getTime()) && (until === null || moment <= until.getTime());
  });
}

/** Returns the moment of the local time in a zone; users have few different ones. */
function localMoments(local: string, fallbackZone: string): (zone: string | null) => number {
  const known = new Map<string | null, number>();
  return (zone) => {
    const moment = known.get(zone) ?? localSendTime(local, zone, fallbackZone);
    known.set(zone, moment);
    return moment;
  };
}

/**
 * Gives each recipient the time of the send: null for now, or the local time. With a rate limit, those with the same moment follow
 * each other at that rate; `moments` counts them.
 */
export function timeRecipients(
  row: Timing,
  recipients: readonly BroadcastRecipient[],
  now: number,
): { timed: TimedRecipient[]; moments: Record<string, number> } {
  const { send_at_local: local, timezone, rate_per_second: rate } = row;
  if (local === null) {
    return { timed: recipients.map((recipient) => ({ ...recipient, sendAt: null })), moments: {} };
  }
  const moments = { ...row.local_moments };
  const momentIn = localMoments(local, timezone);
  const timed = recipients.map((recipient) => {
    // Where the time has passed, it is the start of the fan-out.
    const moment = Math.max(momentIn(recipient.member.timezone), row.started_at?.getTime() ?? now);
    const before = moments[moment] ?? 0;
    moments[moment] = before + 1;
    const at = rate === null ? moment : moment + Math.floor(before / rate) * 1_000;
    return { ...recipient, sendAt: at > now ? new Date(at) : null };
  });
  return { timed, moments };
}
