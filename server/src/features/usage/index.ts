export { countSends, type MeteredSend, refuseBeyondPlan } from './meter.ts';
export { usageRoutes } from './routes.ts';
