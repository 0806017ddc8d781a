export type { Counted } from './health.ts';
export { forgetHealth } from './health-store.ts';
export { createPauses, everybody, type Pauses } from './pauses.ts';
export { findProviderStates, type ProviderStates } from './states.ts';
export { findHealth, ProviderHealth } from './view.ts';
export { type Call, createProviderWatch, type Observation, type Order, type ProviderWatch } from './watch.ts';
