export { bulkActionEraser } from './eraser.ts';
export { createBulkActionJob } from './job.ts';
export { bulkActionRoutes } from './routes.ts';
export { createBulkActionService } from './service.ts';
export { deleteBulkActionsBefore } from './store.ts';
