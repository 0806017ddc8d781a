export {
  applyOptOuts,
  findSuppressed,
  type KnownSuppression,
  needsAddressKey,
  type OptOutChange,
  type Refusal,
  suppressionSql,
  suppressRefused,
} from './automatic.ts';
export { suppressionRoutes } from './routes.ts';
export { createSuppressionService } from './service.ts';
export type { SuppressionRow } from './store.ts';
