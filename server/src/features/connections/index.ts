export { type EmailIdentity, type EmailSender, emailIdentity } from './identity.ts';
export { connectionRoutes } from './routes.ts';
export { createEmailConnections, type EmailConnections } from './senders.ts';
