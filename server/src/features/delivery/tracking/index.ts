export { trackedHtml } from './links.ts';
export { trackingRoutes } from './routes.ts';
