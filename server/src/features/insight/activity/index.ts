export { startRecorder } from './recorder.ts';
export { activityRoutes } from './routes.ts';
export { createActivityService } from './service.ts';
export { tidyActivity } from './store.ts';
