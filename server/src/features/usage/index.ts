export { hasLimit, lockPlans, type MeteredSend, refuseBeyondPlan } from './meter.ts';
export { monthOf } from './month.ts';
export { usageRoutes } from './routes.ts';
export { countSendsSql } from './store.ts';
