export { billedUnits, findPrice, type Price } from './price.ts';
export { createSpendRecorder, type SpendRecorder } from './recorder.ts';
export { spendRoutes } from './routes.ts';
export { findSpend } from './store.ts';
