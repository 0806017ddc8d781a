export { preferencePageRoutes } from './routes.ts';
export { createPreferencePage } from './service.ts';
