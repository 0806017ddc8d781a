export { applyWishes, findSuppressed, type Refusal, suppressRefused, type Wish } from './automatic.ts';
export { suppressionRoutes } from './routes.ts';
export type { SuppressionReason } from './schema.ts';
export type { SuppressionRow } from './store.ts';
