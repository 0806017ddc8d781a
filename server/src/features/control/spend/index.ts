export { createSpendRecorder, type SpendRecorder } from './recorder.ts';
export { spendRoutes } from './routes.ts';
export { billedUnits, findPrice, findSpend, type Price } from './store.ts';
