import { sha256 } from '../../kernel/crypto.ts';
import type { Owner } from './item.ts';

const topics = 4_096;

/**
 * The doorbell topic of an inbox. Inboxes share topics: enough of them that a ring wakes hardly anyone in vain, few enough that
 * nothing grows with the number of users. It tells nobody who the user is.
 */
export function inboxTopic({ environmentId, externalUserId }: Owner): string {
  return `inbox:${sha256(`${environmentId} ${externalUserId}`).readUInt16BE(0) % topics}`;
}
