import type { Outcome, Receipt } from './contract.ts';

/** The sandbox's answer to a message (docs/guides/sandbox.md, kept equal by a test). */
export interface SandboxAnswer {
  outcome: Outcome;
  /** The delay of the answer; 0 means at once. */
  afterMs: number;
}

/** A message that the sandbox has stored. */
export interface StoredMessage {
  id: string;
  notification_id: string;
  environment_id: string;
  payload: object;
}

export const answer = (outcome: Outcome, afterMs = 0): SandboxAnswer => ({ outcome, afterMs });

export const delivered: Receipt = { type: 'Delivered', detail: 'Delivered to the sandbox.' };

export function accepted(receipts: Receipt[], afterMs = 0): SandboxAnswer {
  return answer(
    { kind: 'accepted', providerMessageId: null, detail: 'Accepted by the sandbox.', code: '250', receipts },
    afterMs,
  );
}
