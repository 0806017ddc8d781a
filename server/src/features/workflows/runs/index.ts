export { runEraser } from './eraser.ts';
export { forgetRuns, tidyRuns } from './housekeeping.ts';
export { createRunJob } from './job.ts';
export { createNewRuns, type NewRuns } from './new-runs.ts';
export { runRoutes } from './routes.ts';
export { createRunService } from './service.ts';
export { wakeRunsOf } from './waits-store.ts';
