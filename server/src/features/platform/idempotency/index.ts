<<<<<<< HEAD
export {
  checkIdempotencyKey,
  idempotencyHeader,
  idempotencyKeyOf,
  refuseIdempotencyHeader,
} from './header.ts';
=======
export { deleteExpiredKeys, tidyIdempotencyKeys } from './expiry.ts';
export { checkIdempotencyKey, idempotencyHeader, idempotencyKeyOf } from './header.ts';
>>>>>>> 49e29a81 (Store an idempotency key as a hash with one index)
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
