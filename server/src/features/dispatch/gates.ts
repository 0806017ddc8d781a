import type { StoredTraceEntry } from '../notifications/index.ts';
import type { DispatchFact } from './store.ts';

/**
 * The gates a notification passes before a provider sees it, in the order of the contract. Each is a pure function of facts
 * that were read for the whole batch, so a batch of a hundred costs the queries of one.
 */
export type Verdict =
  | { kind: 'pass' }
  | { kind: 'suppress'; reason: string; detail: string }
  | { kind: 'defer'; until: number; detail: string }
  | { kind: 'drop'; detail: string };

export interface Gate {
  name: string;
  judge(fact: DispatchFact, now: number): Verdict;
}

const pass: Verdict = { kind: 'pass' };

const stillWanted: Gate = {
  name: 'still_wanted',
  judge(fact, now) {
    if (fact.status !== 'queued') return { kind: 'drop', detail: `It is ${fact.status} already.` };
    if (fact.send_at && fact.send_at.getTime() > now) {
      return {
        kind: 'defer',
        until: fact.send_at.getTime(),
        detail: `Scheduled for ${fact.send_at.toISOString()}.`,
      };
    }
    return pass;
  },
};

export const gates: Gate[] = [stillWanted];

/** Goes through the gates until one does not pass; says which did, for the trace. */
export function judge(fact: DispatchFact, now: number): { verdict: Verdict; trace: StoredTraceEntry[] } {
  const at = new Date(now).toISOString();
  const passed: string[] = [];
  for (const gate of gates) {
    const verdict = gate.judge(fact, now);
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
