export { createDashboard } from './dashboard.ts';
export { widgetRoutes } from './widgets.ts';
