export { forgetBroadcasts, tidyBroadcasts } from './housekeeping.ts';
export { createBroadcastJob } from './job.ts';
export { broadcastRoutes } from './routes.ts';
export { createBroadcastService } from './service.ts';
