/** Everything: the API with a secret key, the inbox with an end-user token, webhooks. Entry point `@carillon/sdk`. */
export { type Client, type ClientOptions, createClient } from './client.ts';
export * from './errors.ts';
export type { Api } from './generated/api.ts';
export type { InboxApi } from './generated/inbox.ts';
export type * from './generated/types.ts';
export {
  createInboxClient,
  type InboxClient,
  type InboxClientOptions,
  type TokenSource,
} from './inbox/client.ts';
export type { InboxEvent } from './inbox/events.ts';
export type { Following, FollowOptions, FollowState } from './inbox/follow.ts';
export { type MintInboxTokenOptions, mintInboxToken } from './inbox-token.ts';
export type { List } from './list.ts';
export type { WaitOptions } from './runs.ts';
export type { Fetch, GuardedOptions, KeyedOptions, RequestOptions, TransportOptions } from './transport.ts';
export { version } from './version.ts';
export {
  type InboxActionData,
  type NotificationData,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhooks.ts';
