import type { Carrier } from '../contract.ts';
import {
  type ChannelPlanner,
  type DeliveryPlan,
  type DueNotification,
  envelopeTo,
  environmentsOf,
  type NoPlan,
  type SendingEnvironment,
} from '../delivery-plan.ts';
import type { SmsMessage } from './message.ts';
import { magicNumbers } from './sandbox-answers.ts';
import { textProblem } from './segments.ts';
import { senderFor } from './sender.ts';

/** How an environment sends text messages. */
export interface SmsSender {
  /** Null when the environment cannot send; `problem` gives the reason. */
  carrier: Carrier | null;
  fromNumber: string | null;
  fromSenderId: string | null;
  problem: string | null;
}

/** The SMS senders of environments, ready to use. */
export interface SmsConnections {
  sendersFor(environments: readonly SendingEnvironment[]): Promise<Map<string, SmsSender>>;
}

/** In Live the provider of the environment, in Test the sandbox. */
export function createSmsPlanner({ smsConnections }: { smsConnections: SmsConnections }): ChannelPlanner {
  return {
    async prepare(notifications) {
      const senders = await smsConnections.sendersFor(environmentsOf(notifications));
      return (notification) => planFor(notification, senders.get(notification.environment_id) ?? null);
    },
  };
}

function planFor(notification: DueNotification, sender: SmsSender | null): DeliveryPlan | NoPlan {
  const carrier = sender?.carrier;
  if (!carrier) {
    return {
      reason: 'provider_not_configured',
      problem: sender?.problem ?? 'The environment has no SMS provider; add one in its SMS settings.',
    };
  }
  const to = notification.address ?? '';
  const from = fromOf(sender, to);
  if (typeof from !== 'string') return { reason: 'sender_not_allowed', problem: from.problem };
  const text = notification.text_body ?? '';
  // The text of a template is known only now; inline texts were checked on acceptance.
  const problem = textProblem(text);
  if (problem) return { reason: 'content_refused', problem: `The text ${problem}.` };
  return {
    carriers: [carrier],
    // The limit makes an environment with a slow provider delay only its own messages. The sandbox is never slow.
    ...(notification.environment_kind === 'test'
      ? {}
      : { concurrencyKey: `sms:${notification.environment_id}` }),
    message: (attempt): SmsMessage => ({
      channel: 'sms',
      ...envelopeTo(to, notification, attempt),
      from,
      text,
    }),
  };
}

/** The magic numbers of the sandbox have the form of American numbers and belong to no country. */
function fromOf(sender: SmsSender, to: string): string | { problem: string } {
  const isMagic = sender.carrier?.kind === 'sandbox' && magicNumbers.includes(to);
  return (isMagic ? (sender.fromSenderId ?? sender.fromNumber) : null) ?? senderFor(sender, to);
}
