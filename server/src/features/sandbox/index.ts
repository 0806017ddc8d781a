export { sandboxRoutes } from './routes.ts';
export { eraseSandboxMessages } from './store.ts';
