import type { InboxAction } from '../../channels/in-app/extras.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { idTime } from '../../kernel/ids.ts';
import type { Item } from './schema.ts';

/** The user that an inbox belongs to. */
export interface Owner {
  environmentId: string;
  externalUserId: string;
}

const topics = 4_096;

/**
 * The doorbell topic of an inbox. Inboxes share topics: enough topics that a ring rarely wakes a stream in vain, few enough
 * that nothing grows with the number of users. A topic does not reveal the user.
 */
export function inboxTopic({ environmentId, externalUserId }: Owner): string {
  return `inbox:${sha256(`${environmentId} ${externalUserId}`).readUInt16BE(0) % topics}`;
}

export interface ItemRow {
  id: string;
  position: string;
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  action_url: string | null;
  data: Record<string, unknown>;
  read_at: Date | null;
  category: string | null;
  tags: string[];
  actions: InboxAction[];
  action_key: string | null;
  action_at: Date | null;
  snoozed_until: Date | null;
  /** When the item arrived, if it has returned from a snooze since; otherwise its position tells the time. */
  arrived_at: Date | null;
}

/** Columns in the order of ItemRow, for stores that read items; `i` is the item. */
export const itemColumns = `i.id, i.position, i.subject, i.html_body, i.text_body, i.action_url, i.data, i.read_at, i.category, i.tags, i.actions,
     i.action_key, i.action_at, i.snoozed_until, i.arrived_at`;

export function itemView(row: ItemRow): Item {
  return {
    id: row.id,
    subject: row.subject,
    html_body: row.html_body,
    text_body: row.text_body,
    action_url: row.action_url,
    is_read: row.read_at !== null,
    created_at: (row.arrived_at ?? new Date(idTime(row.position))).toISOString(),
    read_at: row.read_at?.toISOString() ?? null,
    data: row.data,
    category: row.category,
    tags: row.tags,
    actions: row.actions,
    action_taken: actionTaken(row),
    snoozed_until: row.snoozed_until?.toISOString() ?? null,
  };
}

export function actionTaken({
  action_key: key,
  action_at: at,
}: Pick<ItemRow, 'action_key' | 'action_at'>): Item['action_taken'] {
  return key === null || at === null ? null : { key, at: at.toISOString() };
}
