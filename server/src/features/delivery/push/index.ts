export { createPushJob } from './job.ts';
export { planRings } from './ring.ts';
export { pushRoutes } from './routes.ts';
export { createPushService } from './service.ts';
export { deviceEraser, deviceSealedColumns, tidyPresences } from './store.ts';
