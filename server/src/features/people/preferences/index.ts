export { createCategoryService } from './categories-service.ts';
export {
  type CategoryDirectory,
  createCategoryDirectory,
} from './category-directory.ts';
export {
  type Consent,
  findConsents,
  preferenceEraser,
  preferenceUserOf,
  userKeyOf as preferenceUserKey,
} from './consent.ts';
export {
  createPreferenceService,
  type PreferenceChange,
  type PreferenceService,
} from './preferences-service.ts';
export { localTime, quietUntil } from './quiet-hours.ts';
export { categoryRoutes, channelOf, preferenceRoutes } from './routes.ts';
export {
  CategoryKey,
  type DescribedCategory,
  DescribedMatrix,
  Preference,
  PreferenceMatrix,
  SetPreference,
} from './schema.ts';
export { findCategory, listCategoriesByKey, upsertCells } from './store.ts';
