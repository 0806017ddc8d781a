import type { InboxAction } from './extras.ts';

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
