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
import { magicNumbers } from './sandbox-answers.ts';
import { textProblem } from './segments.ts';
import { type SenderChoice, senderFor } from './sender.ts';

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
