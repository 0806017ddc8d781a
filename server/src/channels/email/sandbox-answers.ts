import type { Outcome } from '../contract.ts';
import type { EmailMessage } from '../message.ts';
import { accepted, answer, delivered, type SandboxAnswer } from '../sandbox-answer.ts';

const delayMs = 3_000;

const refusedForNow: Outcome = {
  kind: 'retry',
  detail: '451 4.3.0 The sandbox rejects this temporarily.',
  code: '451 4.3.0',
};

/** The magic mailboxes of sandbox.test. To add one, add a line. */
const answers: Record<string, (message: EmailMessage) => SandboxAnswer> = {
  delivered: () => accepted([delivered]),
  bounced: () =>
    accepted([{ type: 'Bounced', detail: '550 5.1.1 The sandbox bounced the message (hard bounce).' }]),
  complained: () =>
    accepted([delivered, { type: 'Complained', detail: 'The recipient marked the message as spam.' }]),
  delayed: () =>
    accepted([
      { type: 'DeliveryDelayed', detail: '451 4.4.1 The sandbox delays the message for 3 seconds.' },
      { ...delivered, afterMs: delayMs },
    ]),
  opened: () => accepted([delivered, { type: 'Opened', detail: null }]),
  'refused-once': (message) => (message.attempt === 1 ? answer(refusedForNow) : accepted([delivered])),
  refused: () =>
    answer({ kind: 'rejected', detail: '554 5.7.1 The sandbox rejects the message.', code: '554 5.7.1' }),
  slow: () => accepted([delivered], delayMs),
  'no-such-user': () =>
    answer({ kind: 'suppress', detail: '550 5.1.1 No such user.', code: '550 5.1.1', reason: 'hard_bounce' }),
  ambiguous: () =>
    answer({
      kind: 'ambiguous',
      detail: 'The sandbox closed the connection after the whole message.',
      code: 'lost',
    }),
  retry: () => answer(refusedForNow),
};

export const magicAddresses = Object.keys(answers).map((local) => `${local}@sandbox.test`);

/**
 * The answer to a magic address, or null. A plus-tag changes nothing here, but makes a separate address, which can end up on
 * the suppression list as a real one would.
 */
export function magicAnswer(message: EmailMessage): SandboxAnswer | null {
  const [mailbox = '', domain] = message.to.address.toLowerCase().split('@');
  const local = mailbox.split('+')[0] ?? '';
  if (domain !== 'sandbox.test' || !Object.hasOwn(answers, local)) return null;
  return answers[local]?.(message) ?? null;
}
