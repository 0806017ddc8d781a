export { brandRoutes } from './routes.ts';
export { findPageBrand } from './store.ts';
