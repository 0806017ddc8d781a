import { type Eraser, wholeSlice } from '../users/index.ts';
import { erasePersonInFilters } from './store.ts';

/** Filters may name a person. */
export const bulkActionEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, addresses }) {
    await erasePersonInFilters(tx, environmentId, externalUserId, addresses);
    return wholeSlice;
  },
};
