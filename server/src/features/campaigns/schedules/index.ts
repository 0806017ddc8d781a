export { scheduleEraser } from './eraser.ts';
export { createScheduleJob } from './job.ts';
export { scheduleRoutes } from './routes.ts';
export { createScheduleService } from './service.ts';
export { tidySchedules } from './store.ts';
