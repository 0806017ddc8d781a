export { countMoved } from './apply.ts';
export { createReceiptJob, receiptWork } from './job.ts';
export { type AddressRefusal, receiptUpdate, refusalIn } from './receipt-update.ts';
export { createReportWriter, type ReportWriter } from './report-writer.ts';
export { tidyCallbacks } from './reported-events-store.ts';
export type { ReceiptStatus } from './store.ts';
