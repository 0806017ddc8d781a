import type { Carrier } from '../contract.ts';

/**
 * The inbox is our own, so every item is delivered. The dispatcher writes the item in the transaction that settles the
 * notification, so that "delivered" and "in the feed" are one thing; nothing is left here that could fail.
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
