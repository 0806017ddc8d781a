export {
  checkIdempotencyKey,
  idempotencyHeader,
  idempotencyKeyOf,
  refuseIdempotencyHeader,
} from './header.ts';
export {
  claimKey,
  claimKeysSql,
  deleteExpiredKeys,
  findEarlierHolder,
  findKeyHolder,
  insertKeysSql,
  isKnownKey,
  type KeyClaim,
  listKnownKeys,
  nameOfKey,
  tidyIdempotencyKeys,
} from './store.ts';
