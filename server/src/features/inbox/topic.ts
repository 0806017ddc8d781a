import { sha256 } from '../../kernel/crypto.ts';
import type { Owner } from './item.ts';

const topics = 4_096;

/**
 * The doorbell topic of an inbox. Inboxes share topics: enough topics that a ring rarely wakes a stream in vain, few enough
 * that nothing grows with the number of users. A topic does not reveal the user.
 */
export function inboxTopic({ environmentId, externalUserId }: Owner): string {
  return `inbox:${sha256(`${environmentId} ${externalUserId}`).readUInt16BE(0) % topics}`;
}
