export { createDispatchJob } from './job.ts';
export { createReceiptJob } from './receipts.ts';
