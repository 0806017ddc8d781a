export { scheduleEraser } from './eraser.ts';
export { createScheduleJob } from './job.ts';
export { scheduleRoutes } from './routes.ts';
export { createScheduleService, type ScheduleService } from './service.ts';
export { tidySchedules } from './store.ts';
