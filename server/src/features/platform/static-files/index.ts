export { createPages } from './dashboard.ts';
export { widgetRoutes } from './widgets.ts';
