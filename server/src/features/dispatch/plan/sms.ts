import type { SmsMessage } from '../../../channels/contract.ts';
import { magicNumbers } from '../../../channels/sandbox/index.ts';
import { textProblem } from '../../../channels/sms/segments.ts';
import { senderFor } from '../../../channels/sms/sender.ts';
import type { SmsConnections, SmsSender } from '../../connections/index.ts';
import type { DispatchFact } from '../store.ts';
import { type ChannelPlanner, type DeliveryPlan, environmentsOf, type NoPlan } from './delivery-plan.ts';

/** The sms channel: in Live the provider of the environment, in Test the sandbox. */
export function createSmsPlanner({ smsConnections }: { smsConnections: SmsConnections }): ChannelPlanner {
  return {
    async prepare(facts) {
      const senders = await smsConnections.sendersFor(environmentsOf(facts));
      return (fact) => roadFor(fact, senders.get(fact.environment_id) ?? null);
    },
  };
}

function roadFor(fact: DispatchFact, sender: SmsSender | null): DeliveryPlan | NoPlan {
  const carrier = sender?.carrier;
  if (!carrier) {
    return {
      reason: 'provider_not_configured',
      problem: sender?.problem ?? 'The environment has no SMS provider; add one in its SMS settings.',
    };
  }
  const to = fact.address ?? '';
  const from = senderOf(sender, to);
  if (typeof from !== 'string') return { reason: 'sender_not_allowed', problem: from.problem };
  const text = fact.text_body ?? '';
  // The text of a template is known only now; inline texts were checked on acceptance.
  const problem = textProblem(text);
  if (problem) return { reason: 'content_refused', problem: `The text ${problem}.` };
  return {
    carriers: [carrier],
    // The limit makes an environment with a slow provider delay only its own messages. The sandbox is never slow.
    ...(fact.environment_kind === 'test' ? {} : { concurrencyKey: `sms:${fact.environment_id}` }),
    message: (attempt): SmsMessage => ({
      channel: 'sms',
      notificationId: fact.id,
      environmentId: fact.environment_id,
      attempt,
      to: { address: to, name: fact.recipient_name },
      from,
      text,
    }),
  };
}

/** The magic numbers of the sandbox have the form of American numbers and belong to no country. */
function senderOf(sender: SmsSender, to: string): string | { problem: string } {
  const isMagic = sender.carrier?.kind === 'sandbox' && magicNumbers.includes(to);
  return (isMagic ? (sender.fromSenderId ?? sender.fromNumber) : null) ?? senderFor(sender, to);
}
