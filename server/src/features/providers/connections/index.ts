export {
  type CallbackProviders,
  emailCallbackProviders,
  joinCallbackProviders,
} from './callback-providers.ts';
export { type ChatDirectory, createChatDirectory } from './chat-directory.ts';
export { chatoneRoutes } from './chatone/routes.ts';
export { createInstallationService } from './chatone/service.ts';
export { createChatoneTargets } from './chatone/tokens.ts';
export { chatthreeKind } from './chatthree/kind.ts';
export { chatthreeRoutes } from './chatthree/routes.ts';
export { chattwoKind } from './chattwo/kind.ts';
export { chattwoRoutes } from './chattwo/routes.ts';
export { emailRoutes } from './email/routes.ts';
export { createEmailConnections, type EmailConnections } from './email/senders.ts';
export { createEmailSettingsService } from './email/service.ts';
export { createChatEndpointsService } from './endpoints/service.ts';
export { createChatTargets } from './endpoints/targets.ts';
export { type Connection, listConnections } from './overview.ts';
export { pushSettingsRoutes } from './push/routes.ts';
export {
  createPushConnections,
  type PushConnection,
  type PushConnections,
} from './push/senders.ts';
export { createPushSettingsService, type PushSettingsService } from './push/service.ts';
export { findPushSettings } from './push/store.ts';
export { createSandboxEmailSenders, createSandboxSmsSenders } from './sandbox-senders.ts';
export { connectionSealedColumns } from './sealed.ts';
export { settingsVersionSql } from './sender-cache.ts';
export { createSenderDirectory, findSenderProblem, type SenderDirectory } from './sender-directory.ts';
export { createSmsCallbackUrl, smsCallbackProviders, smsKinds } from './sms/provider.ts';
export { smsRoutes } from './sms/routes.ts';
export { createSmsConnections } from './sms/senders.ts';
export { createSmsSettingsService } from './sms/service.ts';
export { connectionName } from './waiting.ts';
