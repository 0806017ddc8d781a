import type { SmsMessage } from '../message.ts';
import { accepted, answer, delivered, type SandboxAnswer } from '../sandbox-answer.ts';

/** The magic numbers of the sandbox. To add one, add a line. */
const answers: Record<string, SandboxAnswer> = {
  '+15005550001': answer({
    kind: 'suppress',
    detail: '21211 The number is not valid.',
    code: '21211',
    reason: 'hard_bounce',
  }),
  '+15005550004': answer({
    kind: 'suppress',
    detail: '21610 The recipient replied STOP.',
    code: '21610',
    reason: 'unsubscribed',
  }),
  '+15005550006': accepted([delivered]),
  '+15005550009': accepted([{ type: 'Bounced', detail: '30005 The sandbox could not deliver the message.' }]),
};

export const magicNumbers = Object.keys(answers);

export function magicAnswer({ to }: SmsMessage): SandboxAnswer | null {
  return Object.hasOwn(answers, to.address) ? (answers[to.address] ?? null) : null;
}
