export { tidyBroadcasts } from './counts-store.ts';
export { createBroadcastJob } from './job.ts';
export { broadcastRoutes, definitionErrors } from './routes.ts';
export { BroadcastDefinition, BroadcastDryRun } from './schema.ts';
export { type BroadcastService, createBroadcastService } from './service.ts';
export { forgetBroadcasts } from './store.ts';
