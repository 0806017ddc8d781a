import { type Eraser, wholeSlice } from '../users/index.ts';
import { deleteSubscriptionsOf } from './store.ts';

/** The subscriptions of a person are few rows: one slice. */
export const subscriptionEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId }) {
    await deleteSubscriptionsOf(tx, environmentId, externalUserId);
    return wholeSlice;
  },
};
