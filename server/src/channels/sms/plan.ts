import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Carrier } from '../contract.ts';
import {
  type ChannelPlanner,
  type DeliveryPlan,
  type DueNotification,
  envelopeTo,
  environmentsOf,
  type NoPlan,
  type SendersFor,
} from '../delivery-plan.ts';
import type { SmsMessage } from '../message.ts';
import { accepted, answer, delivered, type SandboxAnswer } from '../sandbox-answer.ts';
import { textProblem } from './segments.ts';

/** A carrier with the senders of its account: numbers and names belong to an account. */
export interface SmsCarrier extends SenderChoice {
  carrier: Carrier;
}

/** How an environment sends text messages. */
export interface SmsSender {
  /** The carriers in the order they are tried. */
  chain: SmsCarrier[];
  /** Why nothing can be sent; null when sending works. */
  problem: string | null;
}

/** The SMS senders of environments, ready to use. */
export interface SmsConnections {
  sendersFor: SendersFor<SmsSender>;
}

/** The providers of the environment, in the order of its chain. */
export function createSmsPlanner({ smsConnections }: { smsConnections: SmsConnections }): ChannelPlanner {
  return {
    async prepare(notifications) {
      const senders = await smsConnections.sendersFor(environmentsOf(notifications));
      return (notification) => planFor(notification, senders.get(notification.environment_id) ?? null);
    },
  };
}

function planFor(notification: DueNotification, sender: SmsSender | null): DeliveryPlan | NoPlan {
  const chain = sender?.chain ?? [];
  if (chain.length === 0) {
    return {
      reason: 'provider_not_configured',
      problem: sender?.problem ?? 'The environment has no SMS provider; add one in its SMS settings.',
    };
  }
  const to = notification.address ?? '';
  const carriers: Carrier[] = [];
  const fromOfCarrier = new Map<string, string>();
  let problem: string | null = null;
  for (const each of chain) {
    const from = fromOf(each, to);
    if (typeof from === 'string') {
      carriers.push(each.carrier);
      fromOfCarrier.set(each.carrier.name, from);
    } else problem ??= from.problem;
  }
  // A provider whose senders the recipient's country does not accept is left out.
  const [first, ...rest] = carriers;
  if (!first) return { reason: 'sender_not_allowed', problem: problem ?? '' };
  const text = notification.text_body ?? '';
  // The text of a template is known only now; inline texts were checked on acceptance.
  const refusal = textProblem(text);
  if (refusal) return { reason: 'content_refused', problem: `The text ${refusal}.` };
  return {
    carriers: [first, ...rest],
    // The limit makes an environment with a slow provider delay only its own messages.
    concurrencyKey: `sms:${notification.environment_id}`,
    message: (attempt, { name }): SmsMessage => ({
      channel: 'sms',
      ...envelopeTo(to, notification, attempt),
      from: fromOfCarrier.get(name) ?? '',
      text,
    }),
  };
}

/** The magic numbers of the sandbox have the form of American numbers and belong to no country. */
function fromOf({ carrier, ...sender }: SmsCarrier, to: string): string | { problem: string } {
  const isMagic = carrier.kind === 'sandbox' && magicNumbers.includes(to);
  return (isMagic ? (sender.fromSenderId ?? sender.fromNumber) : null) ?? senderFor(sender, to);
}

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

/** Countries whose carriers deliver nothing from an alphanumeric sender. */
const numbersOnly: ReadonlySet<string> = new Set(['US', 'CA']);

/** Alphanumeric sender ids (GSM 03.38 TP-OA), within the limits of every provider here. */
export function senderIdProblem(senderId: string, allowSpaces: boolean): string | null {
  const allowed = allowSpaces ? /^[A-Za-z0-9 ]{1,11}$/ : /^[A-Za-z0-9]{1,11}$/;
  if (!allowed.test(senderId) || senderId.trim() !== senderId)
    return `must be 1 to 11 letters (A–Z, without accents) and digits${allowSpaces ? ', with spaces between' : ''}`;
  return /[A-Za-z]/.test(senderId) ? null : 'must contain a letter; a number goes into from_number';
}

export interface SenderChoice {
  fromNumber: string | null;
  fromSenderId: string | null;
}

/** The sender of a message to this number: the name where names are delivered, else the number. */
export function senderFor(
  { fromNumber, fromSenderId }: SenderChoice,
  to: string,
): string | { problem: string } {
  if (!fromSenderId) return fromNumber ?? { problem: 'The SMS settings have no sender.' };
  const country = parsePhoneNumberFromString(to)?.country;
  if (country === undefined || !numbersOnly.has(country)) return fromSenderId;
  return (
    fromNumber ?? {
      problem: `Numbers in ${country} do not accept alphanumeric senders; set from_number in the SMS settings.`,
    }
  );
}
