export type { CountedOutcome } from './health.ts';
export { forgetHealth } from './health-store.ts';
export {
  createProviderHealthTracker,
  type Observation,
  type ProviderCall,
  type ProviderHealthTracker,
  type ProviderOrder,
} from './provider-health.ts';
export { findProviderStatuses, type ProviderStatuses } from './statuses.ts';
export { createThrottles, everybody, type Throttles } from './throttles.ts';
export { findHealth, ProviderHealth } from './view.ts';
