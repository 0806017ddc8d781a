import type { Carrier } from '../contract.ts';

/**
 * The inbox is ours: whatever reaches it is delivered. The item itself is written by the dispatcher, in the transaction that
 * settles the notification, so that "delivered" and "in the feed" are one thing; here there is nothing left that could fail.
 */
export const inboxCarrier: Carrier = {
  name: 'inbox',
  kind: 'inbox',
  idempotent: true,
  send: async () => ({
    kind: 'accepted',
    providerMessageId: null,
    detail: 'Accepted.',
    receipts: [{ type: 'Delivered', detail: 'In the inbox.' }],
  }),
};
