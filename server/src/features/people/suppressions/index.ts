export {
  applyOptOuts,
  findSuppressed,
  type OptOutChange,
  type Refusal,
  suppressRefused,
} from './automatic.ts';
export { suppressionRoutes } from './routes.ts';
export { createSuppressionService } from './service.ts';
export type { SuppressionRow } from './store.ts';
