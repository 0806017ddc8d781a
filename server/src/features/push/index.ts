export { deviceEraser } from './eraser.ts';
export { tidyPresences } from './housekeeping.ts';
export { createPushJob } from './job.ts';
export { planRings, type RingingItem } from './plan.ts';
export { pushRoutes } from './routes.ts';
export { deviceSealedColumns } from './sealed.ts';
export { createPushService } from './service.ts';
