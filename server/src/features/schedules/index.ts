export { scheduleEraser } from './eraser.ts';
export { tidySchedules } from './housekeeping.ts';
export { createScheduleJob } from './job.ts';
export { scheduleRoutes } from './routes.ts';
export { createScheduleService, type ScheduleService } from './service.ts';
