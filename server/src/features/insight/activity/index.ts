export { tidyActivity } from './housekeeping.ts';
export { type Recorder, startRecorder } from './recorder.ts';
export { activityRoutes } from './routes.ts';
export { createActivityService } from './service.ts';
