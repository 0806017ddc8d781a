export { createUnsubscribeLinks, type UnsubscribeLinks, unsubscribeHeaders } from './links.ts';
export { unsubscribeRoutes } from './routes.ts';
export type { LinkKey } from './token.ts';
