export { categoryRoutes } from './categories-routes.ts';
export { createCategoryService } from './categories-service.ts';
export { findCategory, listCategoriesByKey } from './categories-store.ts';
export {
  type CategoryDirectory,
  createCategoryDirectory,
} from './category-directory.ts';
export { upsertCells } from './cells-store.ts';
export { type Consent, findConsents, preferenceUserOf } from './consent.ts';
export {
  createPreferenceService,
  type PreferenceChange,
  type PreferenceService,
} from './preferences-service.ts';
export { localTime, quietUntil } from './quiet-hours.ts';
export { channelOf, preferenceRoutes } from './routes.ts';
export {
  CategoryKey,
  type DescribedCategory,
  DescribedMatrix,
  Preference,
  PreferenceMatrix,
  SetPreference,
} from './schema.ts';
export { preferenceEraser, userKeyOf as preferenceUserKey } from './user-key.ts';
