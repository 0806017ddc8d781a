export { createPages } from './pages.ts';
export { widgetRoutes } from './widgets.ts';
