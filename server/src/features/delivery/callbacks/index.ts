export { callbackRoutes } from './routes.ts';
export { createCallbackService } from './service.ts';
