export { isAttributeKey, isAttributeValue } from './attributes.ts';
export { createUserDirectory, type UserDirectory } from './directory.ts';
export { type Eraser, type Person, wholeSlice } from './erasure.ts';
export { createErasureJob } from './jobs.ts';
export { isAliasSql, personSliceSql, readPersonSlice } from './person-slice.ts';
export { userRoutes } from './routes.ts';
export { ExternalUserId, UserParams } from './schema.ts';
export { createUserService } from './service.ts';
export { addressFields, type Pair, rememberAddressesSql, type UserFields } from './store.ts';
