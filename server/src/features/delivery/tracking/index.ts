export { type Tracking, trackedHtml } from './links.ts';
export { trackingRoutes } from './routes.ts';
