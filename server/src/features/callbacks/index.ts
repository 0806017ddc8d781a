export { tidyCallbacks } from './housekeeping.ts';
export { callbackRoutes } from './routes.ts';
export { type BatchResult, type CallbackBatch, createReportWriter, type ReportWriter } from './writer.ts';
