export { createBulkActionJob } from './job.ts';
export { bulkActionRoutes } from './routes.ts';
export { createBulkActionService } from './service.ts';
export { bulkActionEraser, tidyBulkActions } from './store.ts';
