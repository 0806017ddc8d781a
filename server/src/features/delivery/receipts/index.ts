export { type AddressRefusal, countMoved, receiptUpdate, refusalIn } from './apply.ts';
export { createReceiptJob, receiptWork } from './job.ts';
export { createReportWriter, type ReportWriter, tidyCallbacks } from './report-writer.ts';
export type { ReceiptStatus } from './store.ts';
