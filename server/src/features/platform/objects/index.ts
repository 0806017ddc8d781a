export { releaseForgottenObjects, tidyObjects } from './housekeeping.ts';
export {
  type Bodies,
  createNotificationObjects,
  type NotificationObjects,
  orUnavailable,
  storeUnavailable,
  type UploadedObjects,
} from './service.ts';
export { openObjectStore } from './start.ts';
export { markStored, releaseBodies, releaseSql } from './store.ts';
