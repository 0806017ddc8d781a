export { deleteExpiredKeys, tidyIdempotencyKeys } from './expiry.ts';
export {
  checkIdempotencyKey,
  idempotencyHeader,
  idempotencyKeyOf,
  refuseIdempotencyHeader,
} from './header.ts';
export {
  claimKey,
  claimKeysSql,
  findEarlierHolder,
  findKeyHolder,
  insertKeysSql,
  isKnownKey,
  type KeyClaim,
  listKnownKeys,
  nameOfKey,
} from './store.ts';
