import type { Message, Outcome, Receipt } from '../contract.ts';

/**
 * The sandbox's answers, chosen by the recipient (docs/guides/sandbox.md, kept equal by a test). To add a magic recipient, add
 * a line.
 */
export interface SandboxAnswer {
  outcome: Outcome;
  /** The delay of the answer; 0 means at once. */
  afterMs: number;
}

type Script = (message: Message) => SandboxAnswer;

const delayMs = 3_000;

const answer = (outcome: Outcome, afterMs = 0): SandboxAnswer => ({ outcome, afterMs });

function accepted(receipts: Receipt[], afterMs = 0): SandboxAnswer {
  return answer(
    { kind: 'accepted', providerMessageId: null, detail: 'Accepted by the sandbox.', code: '250', receipts },
    afterMs,
  );
}

const delivered: Receipt = { type: 'Delivered', detail: 'Delivered to the sandbox.' };
const refusedForNow: Outcome = {
  kind: 'retry',
  detail: '451 4.3.0 The sandbox refuses this for now.',
  code: '451 4.3.0',
};

const emailScripts: Record<string, Script> = {
  delivered: () => accepted([delivered]),
  bounced: () =>
    accepted([{ type: 'Bounced', detail: '550 5.1.1 The sandbox bounced the message (hard bounce).' }]),
  complained: () =>
    accepted([delivered, { type: 'Complained', detail: 'The recipient marked the message as spam.' }]),
  delayed: () =>
    accepted([
      { type: 'DeliveryDelayed', detail: '451 4.4.1 The sandbox holds the message back for 3 seconds.' },
      { ...delivered, afterMs: delayMs },
    ]),
  opened: () => accepted([delivered, { type: 'Opened', detail: null }]),
  'refused-once': (message) => (message.attempt === 1 ? answer(refusedForNow) : accepted([delivered])),
  refused: () =>
    answer({ kind: 'rejected', detail: '554 5.7.1 The sandbox refuses the message.', code: '554 5.7.1' }),
  slow: () => accepted([delivered], delayMs),
  'no-such-user': () =>
    answer({ kind: 'suppress', detail: '550 5.1.1 No such user.', code: '550 5.1.1', reason: 'hard_bounce' }),
  ambiguous: () =>
    answer({ kind: 'ambiguous', detail: 'The sandbox hung up after the whole message.', code: 'lost' }),
  retry: () => answer(refusedForNow),
};

const smsScripts: Record<string, Script> = {
  '+15005550001': () =>
    answer({
      kind: 'suppress',
      detail: '21211 The number is not valid.',
      code: '21211',
      reason: 'hard_bounce',
    }),
  '+15005550004': () =>
    answer({
      kind: 'suppress',
      detail: '21610 The recipient replied STOP.',
      code: '21610',
      reason: 'unsubscribed',
    }),
  '+15005550006': () => accepted([delivered]),
  '+15005550009': () =>
    accepted([{ type: 'Bounced', detail: '30005 The sandbox could not deliver the message.' }]),
};

/**
 * The magic recipients of each channel; all other recipients are delivered to. A plus-tag changes nothing here, but makes a
 * separate address, which can end up on the suppression list as a real one would.
 */
export function sandboxAnswer(message: Message): SandboxAnswer {
  if (message.channel === 'sms') {
    const { address } = message.to;
    return (
      (Object.hasOwn(smsScripts, address) ? smsScripts[address]?.(message) : null) ?? accepted([delivered])
    );
  }
  if (message.channel !== 'email') return accepted([delivered]);
  const [mailbox = '', domain] = message.to.address.toLowerCase().split('@');
  const local = mailbox.split('+')[0] ?? '';
  const script =
    domain === 'sandbox.test' && Object.hasOwn(emailScripts, local) ? emailScripts[local] : undefined;
  return script ? script(message) : accepted([delivered]);
}

export const magicAddresses = Object.keys(emailScripts).map((local) => `${local}@sandbox.test`);
export const magicNumbers = Object.keys(smsScripts);
