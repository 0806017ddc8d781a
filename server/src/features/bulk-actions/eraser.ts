import type { Eraser } from '../users/index.ts';
import { erasePersonInFilters } from './store.ts';

/** Filters may name a person. A running action needs its filter, so the erasure comes back. */
export const bulkActionEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, addresses }) {
    const skipped = await erasePersonInFilters(tx, environmentId, externalUserId, addresses);
    return { next: null, skipped };
  },
};
