import { idTime } from '../../../../kernel/ids.ts';
import type { BrakeVerdict, HoldDecision, HoldNote, HoldVerdict } from '../../../control/brake/index.ts';
import { type StoredTraceEntry, waitNames } from '../../../notifications/notifications/index.ts';
import { localTime, quietUntil } from '../../../people/preferences/index.ts';
import type { ConsentRow } from '../load/consent.ts';

/**
 * The gates a notification passes before a provider gets it, in this order. Each is a pure function of rows that were read for
 * the whole batch, so a batch of a hundred costs the queries of one.
 */
type GateVerdict =
  | { kind: 'pass' }
  | { kind: 'suppress'; reason: string; detail: string }
  /** `waitsFor` names what ends the wait before its time; see `Wait` of the queue. */
  | { kind: 'defer'; until: number; detail: string; waitsFor?: string }
  | HoldVerdict
  | { kind: 'drop'; detail: string };

/** What the gates look at. */
export interface GateInput
  extends Pick<ConsentRow, 'status' | 'send_at' | 'channel' | 'category' | 'suppression' | 'consent'> {
  /** The broadcast of the notification, unless it is an ordinary send. */
  broadcast: { id: string; status: string } | null;
  /** The hold that the notification comes from, and what a person decided about it. */
  held?: HoldNote | undefined;
  decided?: HoldDecision | undefined;
}

interface Gate {
  name: string;
  /** Notifications that the gate is not for pass without a trace. */
  isFor?(input: GateInput): boolean;
  judge(input: GateInput, now: number): GateVerdict;
}

const pass: GateVerdict = { kind: 'pass' };

const stillWanted: Gate = {
  name: 'still_wanted',
  judge(input, now) {
    if (input.status !== 'queued')
      return { kind: 'drop', detail: `The notification is already ${input.status}.` };
    if (input.send_at && input.send_at.getTime() > now) {
      return {
        kind: 'defer',
        until: input.send_at.getTime(),
        detail: `Scheduled for ${input.send_at.toISOString()}.`,
      };
    }
    return input.held ? judgeHold(input.held, input.decided, now) : pass;
  },
};

/** A hold ends the notification when it is cancelled, or when nobody releases it in time. */
function judgeHold(held: HoldNote, decided: HoldDecision | undefined, now: number): GateVerdict {
  const since = `held by ${held.hold} since ${new Date(held.since).toISOString()}`;
  if (decided === 'cancel')
    return {
      kind: 'suppress',
      reason: 'held_cancelled',
      detail: `The notification was ${since}, and cancelled.`,
    };
  if (decided === undefined && held.expires <= now)
    return {
      kind: 'suppress',
      reason: 'held_expired',
      detail: `The notification was ${since}, and not released before ${new Date(held.expires).toISOString()}.`,
    };
  return pass;
}

/** A resumed broadcast wakes what waits for it; without a resume, the gate judges again after this time. */
const pauseMs = 24 * 3_600_000;

/**
 * A broadcast stops at once, although many of its notifications may be in the queue. The gate comes first: what waits for its time
 * is cancelled, too.
 */
const broadcast: Gate = {
  name: 'broadcast',
  isFor: ({ broadcast, status }) => broadcast !== null && status === 'queued',
  judge({ broadcast }, now) {
    switch (broadcast?.status) {
      case 'paused':
        return {
          kind: 'defer',
          until: now + pauseMs,
          detail: 'The broadcast is paused.',
          waitsFor: broadcastWait(broadcast.id),
        };
      case 'cancelled':
        return { kind: 'suppress', reason: 'broadcast_cancelled', detail: 'The broadcast was cancelled.' };
      default:
        return pass;
    }
  },
};

/** What the notifications of a paused broadcast wait for. */
export function broadcastWait(broadcastId: string): string {
  return `${waitNames.broadcast}${broadcastId}`;
}

/** The gate also holds for critical categories: email to a bounced address never arrives, and a complaint must be respected. */
const suppressionList: Gate = {
  name: 'suppression_list',
  judge({ suppression }) {
    if (!suppression) return pass;
    const since = new Date(idTime(suppression.id)).toISOString();
    return {
      kind: 'suppress',
      reason: suppression.reason,
      detail: `The address has been on the suppression list since ${since} (${suppression.reason}).`,
    };
  },
};

const categoryPreference: Gate = {
  name: 'category_preference',
  judge({ consent, category, channel }) {
    if (!consent || consent.isCritical || consent.optedIn) return pass;
    if (consent.source === 'default') {
      const detail = `The category ${category} is off on ${channel} unless the recipient opts in.`;
      return { kind: 'suppress', reason: 'category_default', detail };
    }
    const detail = `The recipient opted out of the category ${category} on ${channel} (${consent.source}).`;
    return { kind: 'suppress', reason: 'category_opt_out', detail };
  },
};

const quietHours: Gate = {
  name: 'quiet_hours',
  judge({ consent }, now) {
    if (!consent?.quietHours || consent.isCritical) return pass;
    const { start_minute, end_minute, timezone } = consent.quietHours;
    const until = quietUntil(consent.quietHours, now);
    if (until === null) return pass;
    const window = `${localTime(start_minute)} to ${localTime(end_minute)}, ${timezone}`;
    const detail = `Quiet hours of the recipient (${window}): delayed until ${new Date(until).toISOString()}.`;
    return { kind: 'defer', until, detail, waitsFor: waitNames.quietHours };
  },
};

export const gates: Gate[] = [broadcast, stillWanted, suppressionList, categoryPreference, quietHours];

/** The verdict of the gates so far, and what the trace says about it. */
export interface Judgement {
  verdict: GateVerdict;
  trace: StoredTraceEntry[];
}

/** Runs the gates before the brake until one does not pass; the trace lists those that passed. */
export function judge(input: GateInput, now: number): Judgement {
  const at = new Date(now).toISOString();
  const passed: string[] = [];
  for (const gate of gates) {
    if (gate.isFor && !gate.isFor(input)) continue;
    const verdict = gate.judge(input, now);
    if (verdict.kind !== 'pass') {
      return {
        verdict,
        trace: [
          { at, kind: 'passed', gates: passed },
          { at, kind: 'gate', name: gate.name, verdict: verdict.kind, detail: verdict.detail },
        ],
      };
    }
    passed.push(gate.name);
  }
  return { verdict: pass, trace: [{ at, kind: 'passed', gates: passed }] };
}

/**
 * The brake is the last gate, because its limits count what the others let pass. It judges the whole batch; there is no verdict when
 * nothing limits the notification.
 */
export function withBrake(judged: Judgement, brake: BrakeVerdict | undefined): Judgement {
  const [entry] = judged.trace;
  if (judged.verdict.kind !== 'pass' || !brake || entry?.kind !== 'passed') return judged;
  if (brake.kind === 'pass')
    return { verdict: brake, trace: [{ ...entry, gates: [...entry.gates, 'brake'] }] };
  const { kind: verdict, detail } = brake;
  return { verdict: brake, trace: [entry, { at: entry.at, kind: 'gate', name: 'brake', verdict, detail }] };
}
