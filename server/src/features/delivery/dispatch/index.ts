export { createContentReader } from './content/reader.ts';
export { contentRoutes } from './content/routes.ts';
export { createDispatchJob } from './job.ts';
export { broadcastWait, judge, withBrake } from './plan/gates.ts';
