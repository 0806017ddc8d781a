export { hasLimit, lockPlans, type MeteredSend, monthOf, refuseBeyondPlan } from './meter.ts';
export { usageRoutes } from './routes.ts';
export { measureStorage, quotaOf, startStorageMeter } from './storage.ts';
export { overheadBytes } from './storage-store.ts';
export { countSendsSql } from './store.ts';
