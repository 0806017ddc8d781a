import type { Carrier, Channel, Message } from './contract.ts';
import type { InboxAction, InboxExtras } from './in-app/extras.ts';
import type { MessageEnvelope } from './message.ts';

/** A notification that is due, with the fields that its delivery plan depends on. */
export interface DueNotification {
  id: string;
  environment_id: string;
  channel: Channel;
  priority: string;
  /** Null when it was erased. */
  address: string | null;
  recipient_name: string | null;
  external_user_id: string | null;
  category: string | null;
  template_key: string | null;
  template_data: Record<string, unknown>;
  template_version_id: string | null;
  inline_format: 'liquid' | 'literal' | null;
  rendered_at: Date | null;
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  /** The text made from the HTML, if it was stored. */
  text_alternative: string | null;
  structured: unknown;
  action_url: string | null;
  inbox_extras: InboxExtras | null;
  from_name: string | null;
  reply_to: string | null;
  attachments: { filename: string; content_type: string; content_id?: string }[] | null;
  connection_id: string | null;
  /** The chain of workflow runs that led to it; null when no run sent it. */
  chain: string | null;
  /** The version of the settings that the channel is sent with; null when there are none. */
  settings_version: string | null;
}

/** The carriers of a notification in the order to try them, and the message that each of them gets. */
export interface DeliveryPlan {
  carriers: [Carrier, ...Carrier[]];
  message: (attempt: number, carrier: Carrier) => Message;
  /** Calls with the same key share a concurrency limit; see queue/concurrency.ts. */
  concurrencyKey?: string;
  /** The inbox item that is written when the notification is delivered. */
  item?: InboxItem;
}

/** The reason why there is no delivery plan, for the person who can fix it. */
export interface NoPlan {
  reason: string;
  problem: string;
}

/** Plans one notification. `headers` are the extra headers of an email. */
export type PlanFor<Due extends DueNotification = DueNotification> = (
  notification: Due,
  headers: Record<string, string>,
) => DeliveryPlan | NoPlan | Promise<DeliveryPlan | NoPlan>;

/** Plans the notifications of one channel. */
export interface ChannelPlanner {
  /** Reads everything that the plans of these notifications depend on, with a constant number of queries. */
  prepare(notifications: readonly DueNotification[]): PlanFor | Promise<PlanFor>;
}

/** An environment whose settings are needed. */
export interface SendingEnvironment {
  id: string;
  /** The version of the settings, read together with the notifications; undefined when unknown, so the settings are read. */
  settingsVersion?: string | null | undefined;
}

/** Finds the senders of many environments with one query. */
export type SendersFor<Sender> = (
  environments: readonly SendingEnvironment[],
) => Promise<Map<string, Sender>>;

/** The environments of a batch, each with the version of its settings that was read with the batch. */
export function environmentsOf(notifications: readonly DueNotification[]): SendingEnvironment[] {
  const environments = new Map(
    notifications.map(({ environment_id: id, settings_version: settingsVersion }) => [
      id,
      { id, settingsVersion },
    ]),
  );
  return [...environments.values()];
}

export function envelopeTo(
  address: string,
  { id, environment_id, recipient_name }: DueNotification,
  attempt: number,
): MessageEnvelope {
  return {
    notificationId: id,
    environmentId: environment_id,
    attempt,
    to: { address, name: recipient_name },
  };
}

/** An item to be written to an inbox; `id` is that of the notification. */
export interface InboxItem {
  id: string;
  environmentId: string;
  externalUserId: string;
  subject: string | null;
  htmlBody: string | null;
  textBody: string | null;
  actionUrl: string | null;
  data: Record<string, unknown>;
  category: string | null;
  tags: string[];
  actions: InboxAction[];
}
