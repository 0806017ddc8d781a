export {
  type ConnectionHealthRow,
  type ConnectionStatus,
  connectionHealthView,
  connectionStatuses,
  createConnectionHealth,
} from './connection-health.ts';
export type { CountedOutcome } from './health.ts';
export { forgetHealth } from './health-store.ts';
export { findHealth, findProviderStatuses, ProviderHealth, type ProviderStatuses } from './statuses.ts';
export { allEnvironments, createThrottles, type Throttles } from './throttles.ts';
export {
  createProviderHealthTracker,
  type Observation,
  type ProviderCall,
  type ProviderHealthTracker,
  type ProviderOrder,
} from './tracker.ts';
