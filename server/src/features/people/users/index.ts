export {
  createErasureJob,
  type Eraser,
  isAliasSql,
  type Person,
  personSliceSql,
  readPersonSlice,
  wholeSlice,
} from './erasure.ts';
export { userRoutes } from './routes.ts';
export { ExternalUserId, UserParams } from './schema.ts';
export {
  createUserDirectory,
  createUserService,
  isAttributeKey,
  isAttributeValue,
  type UserDirectory,
} from './service.ts';
export { addressFields, type Pair, rememberAddressesSql, type UserFields } from './store.ts';
