export { type AppliedReceipts, applyReceipts, type ReceiptFor } from './apply-receipts.ts';
export { createContentReader } from './content/reader.ts';
export { contentRoutes } from './content/routes.ts';
export { createDispatchJob } from './job.ts';
export { createReceiptJob } from './receipts.ts';
export { countMoved } from './settle/activity.ts';
