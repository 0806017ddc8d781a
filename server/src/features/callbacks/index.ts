export { tidyCallbacks } from './housekeeping.ts';
export { callbackRoutes } from './routes.ts';
export { createCallbackService } from './service.ts';
export { type BatchResult, type CallbackBatch, createReportWriter, type ReportWriter } from './writer.ts';
