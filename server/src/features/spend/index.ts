export { findPrice, type Price } from './price.ts';
export { createSpendRecorder, type SpendRecorder } from './recorder.ts';
export { spendRoutes } from './routes.ts';
export { listSpend } from './store.ts';
