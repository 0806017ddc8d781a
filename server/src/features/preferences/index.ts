export { categoryRoutes } from './categories-routes.ts';
export { findCategory } from './categories-store.ts';
export {
  type CategoryDirectory,
  createCategoryDirectory,
} from './category-directory.ts';
export { deleteDecisions } from './cells-store.ts';
export { type Consent, findConsents, preferenceUserOf } from './consent.ts';
export {
  createPreferenceService,
  type PreferenceChange,
  type PreferenceService,
} from './preferences-service.ts';
export { isTimeZone, localTime, type QuietHours, quietUntil } from './quiet-hours.ts';
export { preferenceRoutes } from './routes.ts';
export { userKeyOf } from './user-key.ts';
