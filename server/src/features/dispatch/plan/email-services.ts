import type { EmailServices } from '../../../channels/email/plan.ts';
import { type Pool, statement } from '../../../db/sql.ts';
import type { EmailConnections } from '../../connections/index.ts';
import type { LinkSecrets } from '../../links/index.ts';
import { listAttachmentBytes } from '../../notifications/index.ts';
import type { NotificationObjects } from '../../objects/index.ts';
import { trackedHtml } from '../../tracking/index.ts';

const storeAlternative = statement(
  'dispatch_store_text_alternative',
  'update notification_contents set text_alternative = $2 where notification_id = $1',
);

/** What the email channel needs of other features. */
export function createEmailServices({
  pool,
  publicUrl,
  linkSecrets,
  emailConnections,
  objects,
}: {
  pool: Pool;
  publicUrl: () => string;
  linkSecrets: LinkSecrets;
  emailConnections: EmailConnections;
  objects: NotificationObjects;
}): EmailServices {
  return {
    sendersFor: emailConnections.sendersFor,
    async trackersFor(senders) {
      const tracking = [...senders].filter(([, { track }]) => track.opens || track.clicks);
      const secrets = await linkSecrets.secretsFor(tracking.map(([id]) => id));
      return new Map(
        tracking.flatMap(([id, { track }]) => {
          const secret = secrets.get(id);
          if (!secret) return [];
          return [
            [
              id,
              (html: string, notificationId: string) =>
                trackedHtml(html, notificationId, track, { publicUrl: publicUrl(), secret }),
            ] as const,
          ];
        }),
      );
    },
    async listAttachmentBytes(notificationId) {
      const files = await listAttachmentBytes(pool, notificationId);
      return files.length > 0 ? files : objects.readAttachments(notificationId);
    },
    storeTextAlternative: (notificationId, text) => storeAlternative(pool, [notificationId, text]),
  };
}
