export { tidySandbox } from './housekeeping.ts';
export { sandboxRoutes } from './routes.ts';
export { eraseSandboxMessages, findMessageOf } from './store.ts';
