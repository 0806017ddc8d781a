export { openObjectStore } from './s3.ts';
export {
  type Bodies,
  createNotificationObjects,
  type NotificationObjects,
  orUnavailable,
  releaseForgottenObjects,
  storeUnavailable,
  tidyObjects,
  type UploadedObjects,
} from './service.ts';
export { markStored, releaseBodies, releaseSql } from './store.ts';
