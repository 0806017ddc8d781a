import type { Carrier } from '../contract.ts';
import { type ChannelPlanner, type DueNotification, envelopeTo } from '../delivery-plan.ts';
import type { ChatoneMessage } from '../message.ts';
import { fallbackText } from './payload.ts';

type Addressee = Pick<DueNotification, 'environment_id' | 'connection_id'>;

/** The installations of workspaces, ready to post. */
export interface ChatoneTargets {
  /** Finds installations by the id that a notification was accepted with, with one query. Deleted ones are left out. */
  targetsOf(addressees: readonly Addressee[]): Promise<(addressee: Addressee) => { id: string } | null>;
  /** The carrier posts to one conversation, because the service limits the rate per conversation. */
  carrierTo(installation: { id: string }, conversation: string): Carrier;
}

/** The bot of a workspace. */
export function createChatonePlanner({
  carriers,
  chatoneTargets,
}: {
  carriers: { chatone: ChatoneTargets['carrierTo'] };
  chatoneTargets: Pick<ChatoneTargets, 'targetsOf'>;
}): ChannelPlanner {
  return {
    async prepare(notifications) {
      const installationOf = await chatoneTargets.targetsOf(notifications);
      return (notification) => {
        const installation = installationOf(notification);
        if (!installation)
          return {
            reason: 'installation_not_found',
            problem: 'The Slack (chatone) installation has been deleted.',
          };
        const address = notification.address ?? '';
        return {
          carriers: [carriers.chatone(installation, address)],
          concurrencyKey: installation.id,
          message: (attempt): ChatoneMessage => ({
            channel: 'chatone',
            ...envelopeTo(address, notification, attempt),
            blocks: notification.structured,
            text: fallbackText(notification.structured),
          }),
        };
      };
    },
  };
}
