export { sandboxRoutes } from './routes.ts';
export { eraseSandboxMessages, findMessageOf, tidySandbox } from './store.ts';
