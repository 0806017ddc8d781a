export { type Applied, applyReceipts, type ReceiptFor } from './apply-receipts.ts';
export { createDispatchJob } from './job.ts';
export { createReceiptJob } from './receipts.ts';
