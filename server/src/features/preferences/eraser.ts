import { type Eraser, wholeSlice } from '../users/index.ts';
import { deleteDecisions } from './cells-store.ts';
import { userKeyOf } from './user-key.ts';

/** The preferences of a person are few rows: one slice. */
export const preferenceEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, aliases }) {
    const keys = new Set([externalUserId, ...aliases].map(userKeyOf));
    await deleteDecisions(tx, environmentId, [...keys]);
    return wholeSlice;
  },
};
