/**
 * The inbox and the preferences of one of your users, for browsers and everything else with `fetch`. Entry point
 * `@carillon/sdk/inbox`.
 */
export * from '../errors.ts';
export type { InboxApi } from '../generated/inbox.ts';
export type {
  ArchiveInboxItemsParams,
  ArchiveInboxItemsResult,
  CreateStreamTicketResult,
  GetInboxFeedParams,
  GetInboxFeedResult,
  GetInboxUnreadCountResult,
  GetOwnPreferencesResult,
  InboxAction,
  InboxActionTaken,
  InboxItem,
  InboxUnreadCounts,
  MarkInboxReadParams,
  MarkInboxReadResult,
  Preference,
  SetOwnPreferenceParams,
  SnoozeInboxItemParams,
  UnsubscribeFromAllResult,
  VerifyInboxTokenResult,
} from '../generated/types.ts';
export type { List } from '../list.ts';
export type { Fetch, RequestOptions } from '../transport.ts';
export { createInboxClient, type InboxClient, type InboxClientOptions, type TokenSource } from './client.ts';
export type { InboxEvent } from './events.ts';
export type { Following, FollowOptions, FollowState } from './follow.ts';
