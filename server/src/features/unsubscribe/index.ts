export { createUnsubscribeLinks, type UnsubscribeLinks } from './links.ts';
export { unsubscribeRoutes } from './routes.ts';
export type { LinkKey } from './token.ts';
