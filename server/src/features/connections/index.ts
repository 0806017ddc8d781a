export {
  type CallbackProvider,
  type CallbackProviders,
  emailCallbackProviders,
} from './callback-providers.ts';
export { chatRoutes } from './chat-routes.ts';
export { type ChatoneTargets, createChatoneTargets } from './chatone/targets.ts';
export { createChatDirectory } from './directory.ts';
export { type ChatTarget, type ChatTargets, createChatTargets } from './endpoints/targets.ts';
export { type EmailIdentity, type EmailSender, emailIdentity } from './identity.ts';
export { type Connection, listConnections } from './overview.ts';
export { connectionRoutes } from './routes.ts';
export { connectionSealedColumns } from './sealed.ts';
export { type Environment, settingsVersionSql } from './sender-cache.ts';
export { createEmailConnections, type EmailConnections } from './senders.ts';
export { smsCallbackProviders } from './sms/callback.ts';
export { smsRoutes } from './sms/routes.ts';
export { createSmsConnections, type SmsConnections, type SmsSender } from './sms/senders.ts';
export { connectionName } from './waiting.ts';
