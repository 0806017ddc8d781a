export { createUnsubscribeLinks, type LinkKey, type UnsubscribeLinks, unsubscribeHeaders } from './links.ts';
export { unsubscribeRoutes } from './routes.ts';
