export { tidyCallbacks } from './housekeeping.ts';
export { callbackRoutes } from './routes.ts';
export { createReportWriter, type ReportWriter, type Telling, type Told } from './writer.ts';
