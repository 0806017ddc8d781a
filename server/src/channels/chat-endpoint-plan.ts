import { withVendor } from '../kernel/vendors.ts';
import type { Carrier, Message } from './contract.ts';
import type { ChannelPlanner, DueNotification } from './delivery-plan.ts';

/** An endpoint of a chat channel, with its URL. */
interface ChatTarget {
  id: string;
  key: string;
  revision: number;
  status: 'active' | 'broken' | 'gone';
  last_failure_reason: string | null;
  default_username: string | null;
  default_avatar_url: string | null;
  /** Null when the key that sealed the URL is no longer configured. */
  url: string | null;
}

type Addressee = Pick<DueNotification, 'environment_id' | 'connection_id'>;

/** The endpoints of chat channels, ready to post. */
export interface ChatTargets {
  /** Finds endpoints by id, with one query. Deleted ones are left out. */
  targetsOf(
    channel: string,
    addressees: readonly Addressee[],
  ): Promise<(addressee: Addressee) => ChatTarget | null>;
  health: { observe(carrier: Carrier, endpoint: ChatTarget): Carrier };
}

/** Returns null when the URL of the endpoint cannot be decrypted. */
export type EndpointCarriers = (endpoint: ChatTarget) => Carrier | null;

/** The webhook behind an endpoint. */
export function createChatEndpointPlanner(
  channel: string,
  { carrierTo, chatTargets }: { carrierTo: EndpointCarriers; chatTargets: Pick<ChatTargets, 'targetsOf'> },
  messageTo: (endpoint: ChatTarget, notification: DueNotification, attempt: number) => Message,
): ChannelPlanner {
  return {
    async prepare(notifications) {
      const endpointOf = await chatTargets.targetsOf(channel, notifications);
      return (notification) => {
        const endpoint = endpointOf(notification);
        if (!endpoint)
          return {
            reason: 'endpoint_not_found',
            problem: `The ${withVendor(channel)} endpoint has been deleted.`,
          };
        const carrier = carrierTo(endpoint);
        if (!carrier)
          return {
            reason: 'endpoint_unusable',
            problem: 'The URL can no longer be decrypted; enter it again.',
          };
        return {
          carriers: [carrier],
          concurrencyKey: endpoint.id,
          message: (attempt) => messageTo(endpoint, notification, attempt),
        };
      };
    },
  };
}
