// Generated from openapi.json: npm run generate

import type { ByChannel } from '../send-request.ts';

export type ActivityCounts = {
  accepted: number;
  sent: number;
  delivered: number;
  failed: number;
  suppressed: number;
  bounced: number;
  complained: number;
  retried: number;
};

export type ActivityPoint = {
  /** The start of the step. */
  at: string;
  accepted: number;
  sent: number;
  delivered: number;
  failed: number;
  suppressed: number;
  bounced: number;
  complained: number;
  retried: number;
  /** Accepted notifications by channel. */
  by_channel: {
    email?: number | undefined;
    in_app?: number | undefined;
    webhook?: number | undefined;
    sms?: number | undefined;
    chatone?: number | undefined;
    chattwo?: number | undefined;
    chatthree?: number | undefined;
  };
};

export type Attachment = {
  filename: string;
  content_type: string;
  size_bytes: number;
  /** Of an image within the HTML; otherwise null. */
  content_id: string | null;
  purged: boolean;
};

/** One of `topic`, `filter` and `all`. */
export type Audience = {
  topic?: (string | null) | undefined;
  filter?: (AudienceFilter | null) | undefined;
  /** All users of the environment. */
  all?: (boolean | null) | undefined;
  /** Required for an audience that is everybody, by `all` or by a filter. */
  confirm?: (boolean | null) | undefined;
};

/** Users who meet every condition. A condition that is left out or empty holds for everybody. */
export type AudienceFilter = {
  /** One of these languages; `pt` also matches `pt-BR`. */
  locales?: (Array<string> | null) | undefined;
  /** One of these IANA time zones. */
  timezones?: (Array<string> | null) | undefined;
  /** Follows at least one of these topics. */
  topics_any?: (Array<string> | null) | undefined;
  /** Follows all of these topics. */
  topics_all?: (Array<string> | null) | undefined;
  /** Follows none of these topics. */
  topics_none?: (Array<string> | null) | undefined;
  /** The value of each attribute, or a list of which one must match: `{"plan": ["pro", "team"], "is_admin": true}`. */
  attributes?: (Record<string, unknown> | null) | undefined;
};

export type AudiencePreview = {
  count: number;
  /** Counting took too long: there are at least `count` users. */
  is_capped: boolean;
  /** The `external_user_id` of up to five of them. */
  sample: Array<string>;
};

export type AwokenRuns = {
  awoken_run_count: number;
};

export type BrakeRule = {
  key: string;
  name: string;
  /** What the limit is for: the whole environment, each API key, each category, each workflow or each recipient (the user and the address, each on its own). `chain` limits how deep workflow runs trigger each other. `spike` compares the rate of the last minute with the same hour of the last seven days. */
  scope: 'environment' | 'key' | 'category' | 'workflow' | 'recipient' | 'chain' | 'spike';
  /** Messages per window; with unit `money`, millionths of the currency of /v1/prices. For `chain` the depth, for `spike` how many times the usual rate. */
  limit: number;
  match: BrakeRuleMatch;
  per_template: boolean;
  window: 'minute' | 'hour' | 'day';
  unit: 'messages' | 'money';
  action: 'hold' | 'delay' | 'suppress' | 'notify' | 'refuse';
  hold_expires_hours: number;
  includes_critical: boolean;
  is_enabled: boolean;
  /** In force without having been saved. Save a rule with the same key to replace it. */
  is_default: boolean;
};

export type BrakeRuleInput = {
  name: string;
  /** What the limit is for: the whole environment, each API key, each category, each workflow or each recipient (the user and the address, each on its own). `chain` limits how deep workflow runs trigger each other. `spike` compares the rate of the last minute with the same hour of the last seven days. */
  scope: 'environment' | 'key' | 'category' | 'workflow' | 'recipient' | 'chain' | 'spike';
  /** Messages per window; with unit `money`, millionths of the currency of /v1/prices. For `chain` the depth, for `spike` how many times the usual rate. */
  limit: number;
  match?: BrakeRuleMatch | undefined;
  /** Scope `recipient` only: count each template and channel apart. */
  per_template?: boolean | undefined;
  /** A sliding window. Not for `chain` and `spike`. */
  window?: ('minute' | 'hour' | 'day') | undefined;
  unit?: ('messages' | 'money') | undefined;
  /** Beyond the limit: `hold` (default) until someone releases it, `delay` until the window has room, `suppress` with the reason `frequency_capped`, or `notify` only. A chain is always refused (`refuse`); a spike notifies or holds. */
  action?: ('hold' | 'delay' | 'suppress' | 'notify' | 'refuse') | undefined;
  /** Held notifications become `suppressed` (`held_expired`) after this time. Defaults to 72. */
  hold_expires_hours?: number | undefined;
  /** Critical notifications are not counted or held unless this is true. */
  includes_critical?: boolean | undefined;
  is_enabled?: boolean | undefined;
};

/** Which notifications the rule counts; all of them when empty. */
export type BrakeRuleMatch = {
  channel?: ('email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree') | undefined;
  category?: string | undefined;
  template_key?: string | undefined;
  workflow_key?: string | undefined;
  key_id?: string | undefined;
};

export type BrakeStatus = {
  freezes: Array<Freeze>;
  /** The rules that stopped or noticed something in the last ten minutes. */
  engaged: Array<EngagedRule>;
  held: Array<{
    hold: string;
    count: number;
    is_capped: boolean;
  }>;
  /** Those that are running. */
  releases: Array<HoldRelease>;
};

export type Brand = {
  name: string | null;
  logo_url: string | null;
  accent_color: string | null;
};

export type BrandInput = {
  name?: (string | null) | undefined;
  /** An https URL of an image. */
  logo_url?: (string | null) | undefined;
  /** The colour of buttons. Their text is black or white, whichever is easier to read. */
  accent_color?: (string | null) | undefined;
};

export type Broadcast = {
  id: string;
  name: string;
  status: 'scheduled' | 'preparing' | 'running' | 'paused' | 'done' | 'cancelled';
  /** Why the service paused the broadcast; null when a person did. */
  pause_reason: string | null;
  channels: Array<'email' | 'sms' | 'in_app' | 'chatone'>;
  audience: Audience;
  template_key: string | null;
  category: string | null;
  send_at: string | null;
  send_at_local: string | null;
  timezone: string;
  rate_per_second: number | null;
  created_at: string;
  progress: BroadcastProgress;
};

export type BroadcastDryRun = {
  /** Users of the audience. */
  count: number;
  /** Counting took too long: there are at least `count` users. */
  is_capped: boolean;
  /** Every user is in the audience. By `all` or a filter, it needs `confirm`. */
  is_everybody: boolean;
  /** Users that were checked: the whole audience, an even sample of a large one, or those found within ten seconds. */
  checked: number;
  /** Users who would be sent to, some of them later. */
  would_send: number;
  /** Users by the channel that they would be reached on. */
  channels: Record<string, number>;
  /** Users without an address on any of the channels. */
  skipped: number;
  /** Users who would not be sent to, by reason. */
  suppressed: Record<string, number>;
  /** Users who would be sent to later, by gate: `quiet_hours`, or `brake` for a rule that delays until its window has room. */
  delayed: Record<string, number>;
  /** Users whose notification the brake would hold until a person releases it, by rule, or by freeze such as `freeze:sms`. Limits that are shared are counted as if all were sent at once. */
  held: Record<string, number>;
  samples: Array<BroadcastSample>;
};

export type BroadcastInput = {
  name: string;
  /** In the order of preference. Each user gets one notification: on the first channel with an address that is not suppressed and that the user has not opted out of. */
  channels: Array<'email' | 'sms' | 'in_app' | 'chatone'>;
  audience: Audience;
  /** The template to render; chat channels require one. */
  template_key?: (string | null) | undefined;
  /** At most 998 characters. Beside a `template_key`, replaces the subject of the template. Channels without a subject ignore it. */
  subject?: (string | null) | undefined;
  /** HTML, for email and in_app. Ignored beside a `template_key`, and by channels without HTML. */
  html_body?: (string | null) | undefined;
  /** Plain text, for email, sms and in_app. An email without it gets the text of its HTML. */
  text_body?: (string | null) | undefined;
  /** The same for all recipients. The message, a template or inline, also gets `user`: external_user_id, name, locale, timezone and attributes. */
  template_data?: (Record<string, unknown> | null) | undefined;
  /** The link of an inbox item. */
  action_url?: (string | null) | undefined;
  /** For in_app: what the item is about. An inbox can show the items with a tag in a tab. */
  tags?: (Array<string> | null) | undefined;
  /** For in_app: the buttons of the item. The first one that the recipient chooses is recorded, and sent to webhook endpoints as `inbox.action`. */
  actions?: (Array<InboxActionInput> | null) | undefined;
  /** What the notification is about, for example `product_news`. It is not sent to people who opted out. */
  category?: (string | null) | undefined;
  /** For email: the display name of the sender, instead of that of the environment. At most 200 characters, without `<`, `>` and control characters. */
  from_name?: (string | null) | undefined;
  /** For email: the address that replies go to, without a name. At most 320 characters. */
  reply_to?: (string | null) | undefined;
  send_at?: (string | null) | undefined;
  /** Send to each user at this time of the user’s own time zone, instead of `send_at`. Where it has passed, send at once. */
  send_at_local?: (string | null) | undefined;
  /** The time zone of users without one, for `send_at_local`. UTC by default. */
  timezone?: (string | null) | undefined;
  /** At most so many notifications a second. */
  rate_per_second?: (number | null) | undefined;
};

export type BroadcastProgress = {
  status: 'scheduled' | 'preparing' | 'running' | 'paused' | 'done' | 'cancelled';
  /** Users of the audience. Known when `preparing` ends. */
  total: number;
  /** Users whose notification is no longer queued, or who were skipped. */
  done: number;
  /** Users without an address on any of the channels, or for whom the time of the schedule has passed. */
  skipped: number;
  /** Notifications by status; `deleted` ones were erased with their user before they were sent. */
  counts: Record<string, number>;
  started_at: string | null;
  estimated_end_at: string | null;
  completed_at: string | null;
};

export type BroadcastSample = {
  external_user_id: string;
  channel: 'email' | 'sms' | 'in_app' | 'chatone';
  address: string;
  send_at: string | null;
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  /** Variables that the message uses and that this user lacks: each resolved to nothing. */
  undefined_variables: Array<string>;
  /** Why the message cannot be rendered for this user. */
  error: string | null;
  tags?: Array<string> | undefined;
  actions?: Array<InboxAction> | undefined;
};

export type BulkAction = {
  id: string;
  action: 'redrive' | 'cancel';
  status: 'running' | 'completed' | 'cancelled';
  filter: RedriveFilter;
  /** The count of the preview; null when it was not exact. */
  total: number | null;
  /** Notifications that were redriven or cancelled. */
  done: number;
  /** Notifications that matched but could not be redriven (already redriven, attachments or recipient gone, plan limit) or cancelled (being sent). */
  skipped: number;
  started_at: string;
  estimated_end_at: string | null;
  completed_at: string | null;
};

export type BulkPreview = {
  action: 'redrive' | 'cancel';
  /** The number of matching notifications. */
  count: number;
  /** False when there are more than were counted. */
  count_is_exact: boolean;
  /** The five newest. */
  sample: Array<BulkSample>;
  /** Send the request again with this token to start the action. */
  confirm_token: string;
  expires_at: string;
};

export type BulkSample = {
  id: string;
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  recipient: string | null;
  template_key: string | null;
  last_error: string | null;
};

export type CancelFilter = {
  channel?: ('email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree') | undefined;
  category?: string | undefined;
  template_key?: string | undefined;
  /** The address. */
  recipient?: string | undefined;
  external_user_id?: string | undefined;
  broadcast_id?: string | undefined;
  /** The provider of the last attempt, by name or kind. */
  provider?: string | undefined;
  /** A part of `last_error`; case-insensitive. */
  reason?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  /** Must be true when no other field than `status` narrows the filter. */
  all?: boolean | undefined;
};

export type CancelRequest = {
  filter: CancelFilter;
  /** The token of the preview with the same filter. Without it, the answer is a preview. */
  confirm_token?: string | undefined;
};

export type Category = {
  id: string;
  key: string;
  name: string;
  description: string | null;
  is_critical: boolean;
  default_channels: Array<'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree'>;
  default_opt_in: boolean;
  is_archived: boolean;
  push: PushRing | null;
};

export type CategoryInput = {
  key: string;
  name: string;
  description?: (string | null) | undefined;
  /** Sends ignore preferences and quiet hours and use the critical lane; users cannot opt out. Cannot be changed later. */
  is_critical?: boolean | undefined;
  default_channels: Array<'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree'>;
  default_opt_in?: boolean | undefined;
  /** When in_app items of the category ring the devices of the user. null: as the push settings say. Unchanged if omitted. */
  push?:
    | ({
        /** `always`: at once. `unseen`: if the item is not read within `after_seconds`. `never`: the inbox only. */
        mode: 'always' | 'unseen' | 'never';
        /** Only for `unseen`; defaults to 30. */
        after_seconds?: (number | null) | undefined;
      } | null)
    | undefined;
};

export type CategoryUpdate = {
  name: string;
  description?: (string | null) | undefined;
  default_channels: Array<'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree'>;
  default_opt_in: boolean;
  /** Optional; must equal the current value. */
  is_critical?: boolean | undefined;
  /** Set to false to restore an archived category. Unchanged if omitted. */
  is_archived?: boolean | undefined;
  /** When in_app items of the category ring the devices of the user. null: as the push settings say. Unchanged if omitted. */
  push?:
    | ({
        /** `always`: at once. `unseen`: if the item is not read within `after_seconds`. `never`: the inbox only. */
        mode: 'always' | 'unseen' | 'never';
        /** Only for `unseen`; defaults to 30. */
        after_seconds?: (number | null) | undefined;
      } | null)
    | undefined;
};

export type ChatoneInstallation = {
  id: string;
  team_id: string;
  team_name: string;
  bot_user_id: string;
  app_id: string | null;
  scopes: Array<string>;
  /** Join a public channel (C…) before posting if the bot is not a member. */
  auto_join_public_channels: boolean;
  installed_at: string;
  installed_by_user_id: string;
  /** `broken`: the last call was rejected as a whole; sends are retried. `gone`: not called until it gets new credentials. */
  status: 'active' | 'broken' | 'gone';
  last_success_at: string | null;
  last_failure_at: string | null;
  last_failure_reason: string | null;
};

export type ChatoneInstallationChange = {
  auto_join_public_channels: boolean;
};

export type ChatoneTestTargets = {
  /** Send a direct message to this user. */
  chatone_user_id?: (string | null) | undefined;
  /** Post to this channel. With both, both are sent. */
  chatone_channel_id?: (string | null) | undefined;
};

export type ChatthreeEndpoint = {
  id: string;
  key: string;
  label: string;
  /** The first 30 characters, to identify the URL. */
  webhook_url_prefix: string;
  default_username: string | null;
  default_avatar_url: string | null;
  /** `broken`: the last call was rejected as a whole; sends are retried. `gone`: not called until it gets new credentials. */
  status: 'active' | 'broken' | 'gone';
  last_success_at: string | null;
  last_failure_at: string | null;
  last_failure_reason: string | null;
  created_at: string;
};

export type ChatthreeEndpointChange = {
  /** Shown in the dashboard. */
  label?: string | undefined;
  /** The URL allows anyone to post, so it is never shown again. */
  webhook_url?: string | undefined;
  /** The sender name, unless a send sets `template_data.username`. Null uses the name of the webhook. */
  default_username?: (string | null) | undefined;
  /** The sender avatar, unless a send sets `template_data.avatar_url`. */
  default_avatar_url?: (string | null) | undefined;
};

export type ChattwoEndpoint = {
  id: string;
  key: string;
  label: string;
  /** The first 30 characters, to identify the URL. */
  webhook_url_prefix: string;
  flavour: 'WorkflowsVariantA' | 'WorkflowsVariantB' | 'LegacyConnector';
  /** `broken`: the last call was rejected as a whole; sends are retried. `gone`: not called until it gets new credentials. */
  status: 'active' | 'broken' | 'gone';
  last_success_at: string | null;
  last_failure_at: string | null;
  last_failure_reason: string | null;
  created_at: string;
};

export type ChattwoEndpointChange = {
  /** Shown in the dashboard. */
  label?: string | undefined;
  /** The URL allows anyone to post, so it is never shown again. */
  webhook_url?: string | undefined;
};

export type Device = {
  id: string;
  kind: 'web_push' | 'apns' | 'fcm';
  /** The host of the push service. */
  service: string;
  label: string | null;
  created_at: string;
  /** When the device was last registered. */
  last_seen_at: string;
  /** Of the last push: accepted, retry, rejected, broken … */
  last_outcome: string | null;
  last_outcome_detail: string | null;
  last_outcome_at: string | null;
};

export type DeviceInput = {
  kind: 'web_push' | 'apns' | 'fcm';
  /** For `web_push`: of the PushSubscription. */
  endpoint?: (string | null) | undefined;
  /** For `web_push`: of the PushSubscription. */
  keys?:
    | ({
        p256dh: string;
        auth: string;
      } | null)
    | undefined;
  /** For `apns` the device token in hexadecimal digits, for `fcm` the registration token. */
  token?: (string | null) | undefined;
  /** A name for people. */
  label?: (string | null) | undefined;
};

export type EngagedRule = {
  rule: string;
  detail: string;
  engaged_at: string;
  last_at: string;
};

export type ErrorBody = {
  error: {
    type:
      | 'invalid_request_error'
      | 'authentication_error'
      | 'plan_limit_error'
      | 'permission_error'
      | 'not_found_error'
      | 'conflict_error'
      | 'rate_limit_error'
      | 'api_error';
    /** One of a closed list; see docs/errors.md. */
    code: string;
    /** A message for people. */
    message: string;
    /** The invalid field, as a dotted path. */
    param?: (string | null) | undefined;
  };
};

/** What providers have accepted this month from the environment of the key, by the prices of /v1/prices and in their currency. Null without prices. */
export type EstimatedCost = {
  currency: string;
  /** In millionths of the currency. */
  amount_micros: number;
  by_channel: Array<{
    channel: string;
    amount_micros: number;
  }>;
};

export type NotificationEvent = {
  type: string;
  occurred_at: string;
  detail: string | null;
  suppression_reason: string | null;
};

export type Freeze = {
  /** Null: all channels. */
  channel: string | null;
  /** The name of what it holds, for /v1/brake/holds. */
  hold: string;
  reason: string | null;
  frozen_at: string;
};

export type FreezeInput = {
  /** One channel; all channels when left out. */
  channel?: ('email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree' | null) | undefined;
  reason?: (string | null) | undefined;
  /** Held notifications expire after this time. Defaults to 168. */
  hold_expires_hours?: number | undefined;
};

export type HeldNotification = {
  notification_id: string;
  channel: string;
  address: string | null;
  template_key: string | null;
  category: string | null;
  held_at: string | null;
  expires_at: string | null;
};

export type HeldSample = {
  notification_id: string;
  channel: string;
  address: string | null;
  template_key: string | null;
  category: string | null;
  held_at: string | null;
  expires_at: string | null;
  subject: string | null;
  /** The message as it would be sent, shortened. */
  text: string | null;
  error: string | null;
};

export type Hold = {
  /** The key of the rule, or `freeze:` and a channel or `all`. */
  hold: string;
  /** Null for a freeze, and for a rule that was deleted. */
  rule_name: string | null;
  count: number;
  /** There are more than `count`. */
  is_capped: boolean;
  oldest_held_at: string;
  samples: Array<HeldNotification>;
};

export type HoldPreview = {
  /** The key of the rule, or `freeze:` and a channel or `all`. */
  hold: string;
  /** Null for a freeze, and for a rule that was deleted. */
  rule_name: string | null;
  count: number;
  /** There are more than `count`. */
  is_capped: boolean;
  oldest_held_at: string;
  /** Different recipients among the first 10,000. */
  recipients: number;
  by_channel: Array<{
    channel: string;
    count: number;
  }>;
  samples: Array<HeldSample>;
};

export type HoldRelease = {
  id: string;
  hold: string;
  action: 'release' | 'cancel';
  status: 'running' | 'done' | 'cancelled';
  total: number;
  done: number;
  started_at: string;
  estimated_end_at: string | null;
  completed_at: string | null;
};

export type HoldReleaseInput = {
  /** Send them, paced and the oldest first, or end them as `suppressed` with `held_cancelled`. */
  action: 'release' | 'cancel';
  /** The oldest N; all when left out. */
  limit?: number | undefined;
};

export type InboxAction = {
  key: string;
  label: string;
  url: string | null;
  style: 'default' | 'primary' | 'danger';
};

export type InboxActionInput = {
  key: string;
  label: string;
  /** Where the button leads: an http or https URL, or a relative one. */
  url?: (string | null) | undefined;
  style?: ('default' | 'primary' | 'danger' | null) | undefined;
};

/** The action that the recipient chose; the first one stays. */
export type InboxActionTaken = {
  key: string;
  at: string;
};

export type InboxItem = {
  /** The id of the notification. */
  id: string;
  subject: string | null;
  /** Sanitised: safe to insert into a page. Null if there is only text. */
  html_body: string | null;
  text_body: string | null;
  /** An http or https URL, or relative to the page. */
  action_url: string | null;
  is_read: boolean;
  /** When the item arrived in the inbox. */
  created_at: string;
  read_at: string | null;
  /** The template_data of the notification. */
  data: Record<string, unknown>;
  /** The key of the category of the notification. */
  category: string | null;
  tags: Array<string>;
  /** The buttons of the item, at most two. */
  actions: Array<InboxAction>;
  action_taken: InboxActionTaken | null;
  /** When the item returns; until then it is hidden, and counts as read. */
  snoozed_until: string | null;
};

export type InboxPresence = {
  /** A random id of the page, the same until it is closed. */
  page: string;
  /** Whether the person can see the page. */
  visible: boolean;
};

export type InboxTokenRequest = {
  external_user_id: string;
  /** The scope of the token; defaults to both. */
  scope?: ('inbox' | 'prefs' | 'inbox prefs') | undefined;
  ttl_seconds?: number | undefined;
};

export type InboxUnreadCounts = {
  unread_count: number;
  /** Without those that have no unread items; at most 200, the largest first. */
  categories: Array<{
    category: string;
    unread_count: number;
  }>;
  /** Without those that have no unread items; at most 200, the largest first. */
  tags: Array<{
    tag: string;
    unread_count: number;
  }>;
  /** False when more items are unread than were counted by category and tag: the newest 1,000. */
  is_exact: boolean;
};

export type Incident = {
  id: string;
  title: string;
  status: 'active' | 'resolved';
  /** provider: opened and resolved by a provider outage. operator: opened manually. */
  source: 'provider' | 'operator';
  started_at: string;
  resolved_at: string | null;
  /** Newest first. */
  updates: Array<{
    message: string;
    created_at: string;
  }>;
};

export type Invitation = {
  id: string;
  email: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  invited_by_user_id: string;
  created_at: string;
  expires_at: string;
};

export type InvitationPreview = {
  organization_name: string;
  email: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
};

export type InvitationWithLink = {
  id: string;
  email: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  invited_by_user_id: string;
  created_at: string;
  expires_at: string;
  /** Share this link with the invited person; it is shown only in this response. Browsers do not send the part after the # to servers. */
  accept_url: string;
};

export type Layout = {
  id: string;
  key: string;
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatthree';
  is_default: boolean;
  /** HTML, or MJML for email. Empty: the HTML of bodies stays as it is. */
  html_template: string;
  /** Empty: the text of bodies stays as it is. */
  text_template: string;
  version: number;
  created_at: string;
  updated_at: string;
};

/** Each template must contain `{{ content }}`, where the body goes. */
export type LayoutPut = {
  /** Stays as it is after the creation. */
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatthree' | 'in-app';
  html_template?: (string | null) | undefined;
  text_template?: (string | null) | undefined;
  /** Bodies of the channel that name no layout use this one. Omitted: unchanged. */
  is_default?: boolean | undefined;
};

export type LayoutVersion = {
  version: number;
  created_at: string;
  /** HTML, or MJML for email. Empty: the HTML of bodies stays as it is. */
  html_template: string;
  /** Empty: the text of bodies stays as it is. */
  text_template: string;
};

export type Member = {
  user_id: string;
  email: string;
  name: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  joined_at: string;
  /** In this organization, accurate to the minute. */
  last_seen_at: string | null;
};

export type MissingTranslation = {
  locale: string;
  key: string;
  /** False: a template, layout or partial uses the key, and the default locale lacks it, too. */
  in_default: boolean;
};

export type NewChatoneInstallation = {
  /** The token of an app that is already installed in the workspace. In Test, a token that begins with `xoxb-sandbox` is not checked. */
  bot_token: string;
};

export type NewChatthreeEndpoint = {
  /** Shown in the dashboard. */
  label: string;
  /** The URL allows anyone to post, so it is never shown again. */
  webhook_url: string;
  /** The key for `recipient.endpoint` in sends. Derived from the label by default; it never changes. */
  key?: (string | null) | undefined;
  /** The sender name, unless a send sets `template_data.username`. Null uses the name of the webhook. */
  default_username?: (string | null) | undefined;
  /** The sender avatar, unless a send sets `template_data.avatar_url`. */
  default_avatar_url?: (string | null) | undefined;
};

export type NewChattwoEndpoint = {
  /** Shown in the dashboard. */
  label: string;
  /** The URL allows anyone to post, so it is never shown again. */
  webhook_url: string;
  /** The key for `recipient.endpoint` in sends. Derived from the label by default; it never changes. */
  key?: (string | null) | undefined;
};

export type NewWebhookEndpoint = {
  url: string;
  /** The event types to deliver; empty means all. */
  event_filters?: (Array<string> | null) | undefined;
  description?: (string | null) | undefined;
  /** For the whole call, until the last byte of the response. */
  timeout_seconds?: (number | null) | undefined;
  /** `paused`: deliveries wait until the endpoint is resumed. */
  status?: ('active' | 'paused') | undefined;
};

export type Notification = {
  id: string;
  environment_id: string;
  status: 'queued' | 'sending' | 'sent' | 'failed' | 'suppressed' | 'delivered' | 'bounced' | 'complained';
  /** Why the notification waits, or why it ended without a send; null when the status says it all. Today `scheduled`, `held`, `paused`, `quiet_hours`, `throttled`, `retrying`, `cancelled`, `held_expired`, `expired`; more are added over time. */
  status_detail: string | null;
  /** While the brake holds the notification: when the hold expires, or the window of the rule opens. */
  held_until: string | null;
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  recipient: {
    address: string | null;
    name: string | null;
  };
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  template_key: string | null;
  template_data: Record<string, unknown>;
  category: string | null;
  priority: 'critical' | 'normal' | 'bulk';
  idempotency_key: string | null;
  action_url: string | null;
  /** As the request gave them. */
  tags: Array<string>;
  /** As the request gave them. */
  actions: Array<InboxAction>;
  attempt_count: number;
  /** Why a suppressed notification was not sent. Today `hard_bounce`, `complaint`, `manual_add`, `unsubscribed`, `category_opt_out`, `category_default`, `frequency_capped`, `held_expired`, `held_cancelled`, `broadcast_cancelled` and `cancelled`; more are added over time. */
  suppression_reason: string | null;
  last_error: string | null;
  resent_from: string | null;
  broadcast_id: string | null;
  send_at: string | null;
  sent_at: string | null;
  created_at: string;
  events: Array<NotificationEvent>;
  attachments?: Array<Attachment> | undefined;
};

export type NotificationContent = {
  notification_id: string;
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  /** False if the template cannot be rendered: the content is then empty, and `error` says why. */
  rendered: boolean;
  /** Why the notification cannot be sent; null if it can. */
  error: string | null;
  /** `sandbox`: the sandbox kept the message; sender and headers are as sent. */
  source: 'sandbox' | 'rendered';
  sandbox_message_id: string | null;
  from: {
    address: string;
    name: string | null;
  } | null;
  to: {
    address: string;
    name: string | null;
  };
  reply_to: string | null;
  /** For email: headers in addition to the usual ones. */
  headers: Record<string, string> | null;
  subject: string | null;
  html: string | null;
  text: string | null;
  /** For chat channels and webhooks: the posted JSON. For in_app: `action_url`, `data`, `tags` and `actions`. */
  structured: unknown;
  sms: {
    encoding: 'GSM-7' | 'UCS-2';
    /** The number of SMS segments. */
    segments: number;
    /** In units of the encoding: septets (some characters count twice), or UTF-16 code units. */
    length: number;
  } | null;
};

/** Omitted fields stay unchanged; null clears a field: `template_data` becomes `{}`, `tags` and `actions` `[]`, and null for `send_at` sends now. */
export type NotificationPatch = {
  /** At most 998 characters. Beside a `template_key`, replaces the subject of the template. Channels without a subject ignore it. */
  subject?: (string | null) | undefined;
  /** HTML, for email and in_app. Ignored beside a `template_key`, and by channels without HTML. */
  html_body?: (string | null) | undefined;
  /** Plain text, for email, sms and in_app. An email without it gets the text of its HTML. */
  text_body?: (string | null) | undefined;
  /** The data of the template. Without a template, `subject`, `html_body` and `text_body` are Liquid when it is given, also as `{}`, and literal otherwise. At most 262144 bytes as JSON. */
  template_data?: (Record<string, unknown> | null) | undefined;
  /** The link of an inbox item. */
  action_url?: (string | null) | undefined;
  /** For in_app: what the item is about. An inbox can show the items with a tag in a tab. */
  tags?: (Array<string> | null) | undefined;
  /** For in_app: the buttons of the item. The first one that the recipient chooses is recorded, and sent to webhook endpoints as `inbox.action`. */
  actions?: (Array<InboxActionInput> | null) | undefined;
  /** null or a past time sends immediately. */
  send_at?: (string | null) | undefined;
};

export type Organization = {
  id: string;
  name: string;
  /** Your role. */
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  environments: Array<{
    id: string;
    name: string;
    kind: 'test' | 'live';
    created_at: string;
  }>;
};

export type Overview = {
  window: '1h' | '6h' | '24h' | '7d';
  from: string;
  /** The end of the current step. */
  to: string;
  step_seconds: number;
  /** At most 180 steps, oldest first, including empty ones. */
  series: Array<ActivityPoint>;
  totals: {
    accepted: number;
    sent: number;
    delivered: number;
    failed: number;
    suppressed: number;
    bounced: number;
    complained: number;
    retried: number;
    /** The same by channel; channels without activity are not included. */
    by_channel: {
      email?: ActivityCounts | undefined;
      in_app?: ActivityCounts | undefined;
      webhook?: ActivityCounts | undefined;
      sms?: ActivityCounts | undefined;
      chatone?: ActivityCounts | undefined;
      chattwo?: ActivityCounts | undefined;
      chatthree?: ActivityCounts | undefined;
    };
  };
  /** The share of sent notifications that did not fail or bounce, from 0 to 1: (sent − bounced) / (sent + failed). An accepted notification counts until the provider reports a bounce, because many providers never report a delivery. Suppressed notifications are excluded. Null if nothing was sent or failed. */
  delivery_rate: number | null;
  /** The time from acceptance (or send_at) until a provider accepted the notification, including retries and quiet hours. Counted in buckets, so a value is accurate to the width of its bucket, a factor of 1.3 to 2. Null if nothing was sent. */
  latency: {
    p50_ms?: number | undefined;
    p95_ms?: number | undefined;
    p99_ms?: number | undefined;
  } | null;
  queue: {
    /** Ready, not yet claimed by a worker. */
    waiting: number;
    /** The queue holds more than 10,000 rows: `waiting` and `scheduled` are lower bounds. */
    waiting_is_capped: boolean;
    /** How long the oldest unclaimed notification has been due. Null if none waits. */
    oldest_due_seconds: number | null;
    /** Scheduled, delayed by quiet hours, or waiting for a retry. */
    scheduled: number;
  };
  /** The providers. Empty in Test, which uses the sandbox. */
  providers: Array<OverviewProvider>;
  /** Called endpoints: those with the most failures first, then those with the most calls. */
  webhooks: Array<OverviewWebhook>;
  /** The start of the webhook counts: `from`, or later if the window has more than 50,000 slots of five minutes (one for each called endpoint). */
  webhooks_from: string;
  /** Why notifications did not arrive, most frequent first: the newest 500 of the window that failed, bounced or were suppressed, by reason. */
  failures: Array<OverviewFailure>;
};

export type OverviewFailure = {
  /** The reason without addresses, ids and times. */
  reason: string;
  status: 'failed' | 'bounced' | 'suppressed';
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  count: number;
  /** When the newest notification was accepted. */
  last_at: string;
  /** The newest notification. */
  sample_notification_id: string;
};

export type OverviewProvider = {
  /** The id of the provider or connection; `managed` for the operator’s provider; the kind for push services. */
  id: string;
  name: string;
  kind: string;
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  /** degraded, outage: for email providers, by the failures of the last five minutes. paused: throttled by the provider. broken: rejected as a whole, see `problem`. disabled: turned off. */
  status: 'healthy' | 'degraded' | 'outage' | 'paused' | 'broken' | 'disabled';
  /** In the last five minutes, like the next field; only counted for email. */
  messages: number;
  failed_messages: number;
  failure_rate: number;
  /** When the failures began. */
  since: string | null;
  paused_until: string | null;
  problem: string | null;
  /** Set for chat connections, and for push services: of their last check. */
  last_success_at: string | null;
  last_failure_at: string | null;
};

export type OverviewWebhook = {
  endpoint_id: string;
  url: string;
  description: string;
  status: string;
  /** Calls, not deliveries: each retry counts. */
  succeeded: number;
  failed: number;
  success_rate: number;
};

export type PartVersion = {
  version: number;
  created_at: string;
};

export type PartialPut = {
  template: string;
};

export type PartialVersion = {
  version: number;
  created_at: string;
  /** Escaped like the field that renders it: as HTML, text or JSON. */
  template: string;
};

export type Person = {
  user_id: string;
  email: string;
  name: string;
  organizations: Array<Organization>;
  /** False if only the operator can create organizations (`CARILLON_SELF_SERVICE_ORGANIZATIONS`). */
  may_create_organizations: boolean;
};

export type Preference = {
  category_key: string;
  category_name: string;
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  opted_in: boolean;
  /** The source of the value: the default of the category, the API, the recipient, or an unsubscribe link. */
  source: 'default' | 'api' | 'recipient' | 'unsubscribe';
  /** If true, sends of this category ignore opted_in. */
  is_critical: boolean;
  /** When the preference was set; null for the default. */
  updated_at: string | null;
};

export type PreferenceLink = {
  /** The page of this user. The link does not expire. */
  url: string;
};

export type Price = {
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  provider_kind: string | null;
  prefix: string | null;
  price_micros: number;
};

export type PriceTable = {
  /** ISO 4217, such as EUR. */
  currency: string;
  prices: Array<{
    channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
    /** Any provider when left out. */
    provider_kind?: (string | null) | undefined;
    /** The beginning of the address, such as `+49`. The longest one that matches counts. */
    prefix?: (string | null) | undefined;
    /** Per message, or per segment of a text message, in millionths of the currency. */
    price_micros: number;
  }>;
};

/** The last HTTP call of the attempt. The response of the provider is in `code` and `detail`; bodies are not kept, because a response may repeat secrets. Null for attempts without HTTP, and for providers of the operator. */
export type ProviderExchange = {
  method: string;
  /** Without the query, and without path segments that are not plain words. */
  url: string;
  request_bytes: number;
  /** Null if there was no response. */
  status: number | null;
  /** The number of bytes read. */
  response_bytes: number;
};

export type ProviderHealth = {
  /** outage: the provider is failing and is tried last until a message gets through. */
  status: 'healthy' | 'degraded' | 'outage';
  /** Distinct messages in the last five minutes. */
  messages: number;
  failed_messages: number;
  failure_rate: number;
  /** When the failures began. */
  since: string | null;
};

/** The answer of the service when the settings were saved or tested. */
export type PushCheck = {
  ok: boolean;
  detail: string;
  at: string;
};

export type PushOffer = {
  web_push: {
    /** The `applicationServerKey` for PushManager.subscribe(). */
    public_key: string;
  } | null;
  apns: boolean;
  fcm: boolean;
};

export type PushRing = {
  mode: 'always' | 'unseen' | 'never';
  after_seconds: number | null;
};

export type PushSettings = {
  ring: PushRing;
  web_push: {
    contact: string;
    /** The VAPID key that browsers subscribe with. The pair is made here and stays the same. */
    public_key: string;
    check: PushCheck | null;
  } | null;
  apns: {
    team_id: string;
    key_id: string;
    bundle_id: string;
    environment: 'production' | 'sandbox';
    check: PushCheck | null;
  } | null;
  fcm: {
    project_id: string;
    client_email: string;
    check: PushCheck | null;
  } | null;
};

/** A service that is omitted or null is switched off. */
export type PushSettingsRequest = {
  /** When items ring, unless their template or category says otherwise. By default always. */
  ring?:
    | ({
        /** `always`: at once. `unseen`: if the item is not read within `after_seconds`. `never`: the inbox only. */
        mode: 'always' | 'unseen' | 'never';
        /** Only for `unseen`; defaults to 30. */
        after_seconds?: (number | null) | undefined;
      } | null)
    | undefined;
  web_push?:
    | ({
        /** An email address or an https URL for the push service to contact you. */
        contact: string;
      } | null)
    | undefined;
  apns?:
    | ({
        team_id: string;
        /** The id of the key, which is part of the file name. */
        key_id: string;
        /** The bundle id of the app. */
        bundle_id: string;
        /** `sandbox` for apps that Xcode installed; defaults to `production`. */
        environment?: ('production' | 'sandbox') | undefined;
        /** The contents of the .p8 file. Write-only; may be omitted while the key id stays the same. */
        private_key?: string | undefined;
      } | null)
    | undefined;
  fcm?:
    | ({
        /** The key file of a service account with the role "Firebase Cloud Messaging API Admin". Write-only; if omitted, the stored one is kept. */
        service_account?: Record<string, unknown> | undefined;
      } | null)
    | undefined;
};

export type PushTestRequest = {
  external_user_id?: (string | null) | undefined;
};

export type PushTestResult = {
  checks: Array<{
    kind: 'web_push' | 'apns' | 'fcm';
    ok: boolean;
    detail: string;
  }>;
  devices: Array<{
    id: string;
    kind: 'web_push' | 'apns' | 'fcm';
    service: string;
    outcome: string;
    detail: string;
  }>;
};

export type QuietHours = {
  /** HH:MM */
  start_local: string;
  /** HH:MM */
  end_local: string;
  /** An IANA time zone name. */
  timezone: string;
};

export type RedriveFilter = {
  /** Defaults to failed. */
  status?: ('failed' | 'bounced') | undefined;
  channel?: ('email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree') | undefined;
  category?: string | undefined;
  template_key?: string | undefined;
  /** The address. */
  recipient?: string | undefined;
  external_user_id?: string | undefined;
  broadcast_id?: string | undefined;
  /** The provider of the last attempt, by name or kind. */
  provider?: string | undefined;
  /** A part of `last_error`; case-insensitive. */
  reason?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  /** Must be true when no other field than `status` narrows the filter. */
  all?: boolean | undefined;
};

export type RedriveRequest = {
  filter: RedriveFilter;
  /** The token of the preview with the same filter. Without it, the answer is a preview. */
  confirm_token?: string | undefined;
};

export type RenderedTemplate = {
  subject: string;
  html_body: string;
  /** For an email without a text template: derived from the HTML. */
  text_body: string;
  /** The JSON of a structured body; null for other channels. */
  structured: unknown;
  /** Variables that the template uses and the data does not contain: each resolved to nothing. */
  undefined_variables: Array<string>;
};

export type RunCancellation = {
  status: 'cancelling' | 'cancelled';
};

/** The JSON that would have been posted to the chat service. */
export type SandboxChatPost = Record<string, unknown>;

export type SandboxEmail = {
  message_id: string;
  from: {
    address: string;
    name: string | null;
  };
  to: {
    address: string;
    name: string | null;
  };
  reply_to: string | null;
  subject: string;
  html: string | null;
  /** As sent, or derived from the HTML. */
  text: string;
  headers: Record<string, string>;
  attachments: Array<{
    filename: string;
    content_type: string;
    size_bytes: number;
    content_id?: string | undefined;
  }>;
  /** The message, byte for byte. */
  mime: string;
  /** False if there were attachments: their bytes are not kept, and `mime` has a placeholder line. */
  mime_complete: boolean;
};

export type SandboxInboxItem = {
  subject: string | null;
  /** Sanitised, as shown in the inbox. */
  html_body: string | null;
  text_body: string | null;
  action_url: string | null;
  data: Record<string, unknown>;
  tags?: Array<string> | undefined;
  actions?: Array<InboxAction> | undefined;
};

export type SandboxMessage = {
  id: string;
  notification_id: string;
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  provider: string;
  to: string;
  created_at: string;
  /** The message as it would have been sent, by channel. */
  payload: SandboxEmail | SandboxWebhook | SandboxInboxItem | SandboxSms | SandboxChatPost;
};

export type SandboxSms = {
  to: string;
  from: string;
  text: string;
  encoding: 'GSM-7' | 'UCS-2';
  /** The number of SMS segments. */
  segments: number;
};

export type SandboxWebhook = {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** The JSON that would have been posted, byte for byte. */
  body: string;
};

export type SavedTemplateBody = {
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  locale: string | null;
  subject_template: string;
  text_template: string;
  html_template: string;
  structured_template: string;
  /** Null: the default layout of the channel. */
  layout: string | null;
  /** The template version that this save created. */
  version: number;
};

export type Schedule = {
  id: string;
  key: string;
  name: string;
  /** ended: no run is left before ends_at, or within ten years. */
  status: 'active' | 'paused' | 'ended';
  target: ScheduleTarget;
  /** The expression, or the one made from `rule`. */
  cron: string;
  rule: ScheduleRule | null;
  timezone: string;
  per_recipient_timezone: boolean;
  starts_at: string | null;
  ends_at: string | null;
  missed_runs: 'skip' | 'run_once';
  /** The next run in `timezone`. In the past while a slot is due and no worker has taken it. */
  next_run_at: string | null;
  last_run: ScheduleRun | null;
  created_at: string;
  updated_at: string;
};

/** One of `users`, `topic`, `filter` and `all`. Each member gets a run of their own. */
export type ScheduleAudience = {
  /** The external ids of users, stored or not. */
  users?: (Array<string> | null) | undefined;
  topic?: (string | null) | undefined;
  filter?: (AudienceFilter | null) | undefined;
  /** All users of the environment. */
  all?: (boolean | null) | undefined;
  /** Required for an audience that is everybody, by `all` or by a filter. */
  confirm?: (boolean | null) | undefined;
};

/** The body of `POST /v1/broadcasts` without its times. */
export type ScheduleBroadcast = {
  name: string;
  /** In the order of preference. Each user gets one notification: on the first channel with an address that is not suppressed and that the user has not opted out of. */
  channels: Array<'email' | 'sms' | 'in_app' | 'chatone'>;
  audience: Audience;
  /** The template to render; chat channels require one. */
  template_key?: (string | null) | undefined;
  /** At most 998 characters. Beside a `template_key`, replaces the subject of the template. Channels without a subject ignore it. */
  subject?: (string | null) | undefined;
  /** HTML, for email and in_app. Ignored beside a `template_key`, and by channels without HTML. */
  html_body?: (string | null) | undefined;
  /** Plain text, for email, sms and in_app. An email without it gets the text of its HTML. */
  text_body?: (string | null) | undefined;
  /** The same for all recipients. The message, a template or inline, also gets `user`: external_user_id, name, locale, timezone and attributes. */
  template_data?: (Record<string, unknown> | null) | undefined;
  /** The link of an inbox item. */
  action_url?: (string | null) | undefined;
  /** For in_app: what the item is about. An inbox can show the items with a tag in a tab. */
  tags?: (Array<string> | null) | undefined;
  /** For in_app: the buttons of the item. The first one that the recipient chooses is recorded, and sent to webhook endpoints as `inbox.action`. */
  actions?: (Array<InboxActionInput> | null) | undefined;
  /** What the notification is about, for example `product_news`. It is not sent to people who opted out. */
  category?: (string | null) | undefined;
  /** For email: the display name of the sender, instead of that of the environment. At most 200 characters, without `<`, `>` and control characters. */
  from_name?: (string | null) | undefined;
  /** For email: the address that replies go to, without a name. At most 320 characters. */
  reply_to?: (string | null) | undefined;
  /** At most so many notifications a second. */
  rate_per_second?: (number | null) | undefined;
};

export type ScheduleCreate = {
  key: string;
  name: string;
  target: ScheduleTarget;
  /** Five fields: minute, hour, day of the month, month, day of the week. Or set `rule`. */
  cron?: (string | null) | undefined;
  rule?: (ScheduleRule | null) | undefined;
  /** An IANA time zone name; defaults to UTC. */
  timezone?: (string | null) | undefined;
  /** Each member of the audience gets the run or the message when the clocks of their own time zone show the time; members without a time zone follow `timezone`. */
  per_recipient_timezone?: (boolean | null) | undefined;
  starts_at?: (string | null) | undefined;
  ends_at?: (string | null) | undefined;
  /** What happens to slots that passed while no worker ran. run_once: one run for all of them, late. Defaults to skip. */
  missed_runs?: ('skip' | 'run_once' | null) | undefined;
};

export type ScheduleDetail = {
  id: string;
  key: string;
  name: string;
  /** ended: no run is left before ends_at, or within ten years. */
  status: 'active' | 'paused' | 'ended';
  target: ScheduleTarget;
  /** The expression, or the one made from `rule`. */
  cron: string;
  rule: ScheduleRule | null;
  timezone: string;
  per_recipient_timezone: boolean;
  starts_at: string | null;
  ends_at: string | null;
  missed_runs: 'skip' | 'run_once';
  /** The next run in `timezone`. In the past while a slot is due and no worker has taken it. */
  next_run_at: string | null;
  last_run: ScheduleRun | null;
  created_at: string;
  updated_at: string;
  /** The next ten; empty unless the schedule is active. */
  next_runs: Array<ScheduleNextRun>;
};

export type ScheduleNextRun = {
  at: string;
  /** The same moment on the clocks of `timezone`. */
  local_time: string;
};

export type SchedulePreview = {
  cron: string;
  next_runs: Array<ScheduleNextRun>;
};

export type ScheduleReplace = {
  name: string;
  target: ScheduleTarget;
  /** Five fields: minute, hour, day of the month, month, day of the week. Or set `rule`. */
  cron?: (string | null) | undefined;
  rule?: (ScheduleRule | null) | undefined;
  /** An IANA time zone name; defaults to UTC. */
  timezone?: (string | null) | undefined;
  /** Each member of the audience gets the run or the message when the clocks of their own time zone show the time; members without a time zone follow `timezone`. */
  per_recipient_timezone?: (boolean | null) | undefined;
  starts_at?: (string | null) | undefined;
  ends_at?: (string | null) | undefined;
  /** What happens to slots that passed while no worker ran. run_once: one run for all of them, late. Defaults to skip. */
  missed_runs?: ('skip' | 'run_once' | null) | undefined;
};

/** A simple alternative to cron. With `hour`, only the minutes of `at` count. */
export type ScheduleRule = {
  every: 'hour' | 'day' | 'week' | 'month';
  at: string;
  /** With `week`: the days. */
  on?:
    | (Array<'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday'> | null)
    | undefined;
  /** With `month`: the day. Months that do not have it are left out; without it, the last day of the month. */
  day?: (number | null) | undefined;
};

export type ScheduleRun = {
  id: string;
  /** The time for which the run was scheduled. */
  slot: string;
  /** Started with “run now”. */
  is_manual: boolean;
  /** running while runs are started for the audience. */
  status: 'running' | 'completed' | 'failed' | 'missed';
  run_id: string | null;
  broadcast_id: string | null;
  /** Runs of the workflow, or 1 for a broadcast. */
  started_count: number;
  /** Members of the audience whose local time had passed, or whose trigger data was refused. */
  skipped_count: number;
  /** Slots that passed before; up to 1,000 are counted. */
  missed_count: number;
  failure_reason: string | null;
  started_at: string;
  completed_at: string | null;
};

export type ScheduleSimulate = {
  now?: (string | null) | undefined;
  /** How many slots; defaults to 3, for a broadcast to 1. */
  runs?: (number | null) | undefined;
  /** The member of the audience to simulate; defaults to the first of `users`. */
  external_user_id?: (string | null) | undefined;
};

export type ScheduleSimulation = {
  runs: Array<SimulatedScheduleRun>;
};

/** What runs. `workflow`: the workflow of `workflow_key`, once or for each member of the audience; with an audience, `external_user_id` is added to trigger_data. `broadcast`: the broadcast of `broadcast`. */
export type ScheduleTarget = {
  kind: 'workflow' | 'broadcast';
  workflow_key?: (string | null) | undefined;
  trigger_data?: (Record<string, unknown> | null) | undefined;
  audience?: (ScheduleAudience | null) | undefined;
  broadcast?: (ScheduleBroadcast | null) | undefined;
};

export type ScheduleTimingInput = {
  /** Five fields: minute, hour, day of the month, month, day of the week. Or set `rule`. */
  cron?: (string | null) | undefined;
  rule?: (ScheduleRule | null) | undefined;
  /** An IANA time zone name; defaults to UTC. */
  timezone?: (string | null) | undefined;
  /** Each member of the audience gets the run or the message when the clocks of their own time zone show the time; members without a time zone follow `timezone`. */
  per_recipient_timezone?: (boolean | null) | undefined;
  starts_at?: (string | null) | undefined;
  ends_at?: (string | null) | undefined;
};

export type SendFields = {
  /** `chatone` is Slack, `chattwo` is Microsoft Teams, `chatthree` is Discord. */
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  /** Who gets it; each channel reads the fields that it knows. */
  recipient: {
    /** An email address, a phone number in E.164 format, a user id (in_app), an http or https URL (webhook), or the id or key of a chat target. */
    address?: (string | null) | undefined;
    /** The display name in the To header of emails and in the inbox. */
    name?: (string | null) | undefined;
    /** Your id of the user. Beside an address, the pair is remembered; alone, it stands for the address stored for the channel. */
    external_user_id?: (string | null) | undefined;
    /** The key of a Microsoft Teams or Discord endpoint, the id of a webhook endpoint, or the id or team of a Slack installation. */
    endpoint?: (string | null) | undefined;
    /** A Slack user id (`U…`), for a direct message. */
    chatone_user_id?: (string | null) | undefined;
    /** A Slack channel id (`C…`). */
    chatone_channel_id?: (string | null) | undefined;
    /** The id of a Microsoft Teams endpoint; prefer `endpoint`. */
    chattwo_endpoint_id?: (string | null) | undefined;
    /** The id of a Discord endpoint; prefer `endpoint`. */
    chatthree_endpoint_id?: (string | null) | undefined;
  };
  /** At most 998 characters. Beside a `template_key`, replaces the subject of the template. Channels without a subject ignore it. */
  subject?: (string | null) | undefined;
  /** HTML, for email and in_app. Ignored beside a `template_key`, and by channels without HTML. */
  html_body?: (string | null) | undefined;
  /** Plain text, for email, sms and in_app. An email without it gets the text of its HTML. */
  text_body?: (string | null) | undefined;
  /** The data of the template. Without a template, `subject`, `html_body` and `text_body` are Liquid when it is given, also as `{}`, and literal otherwise. At most 262144 bytes as JSON. */
  template_data?: (Record<string, unknown> | null) | undefined;
  /** The link of an inbox item. */
  action_url?: (string | null) | undefined;
  /** For in_app: what the item is about. An inbox can show the items with a tag in a tab. */
  tags?: (Array<string> | null) | undefined;
  /** For in_app: the buttons of the item. The first one that the recipient chooses is recorded, and sent to webhook endpoints as `inbox.action`. */
  actions?: (Array<InboxActionInput> | null) | undefined;
  /** Not before this time, at most 90 days ahead. Until then the notification can be changed. */
  send_at?: (string | null) | undefined;
  /** The template to render; chat channels require one. */
  template_key?: (string | null) | undefined;
  /** What the notification is about, for example `product_news`. It is not sent to people who opted out. */
  category?: (string | null) | undefined;
  /** For email: at most 10 files, 15 MiB in total. They are deleted after the delivery. */
  attachments?:
    | (Array<{
        /** The name that the recipient sees, at most 255 characters. */
        filename: string;
        /** A MIME type, for example `application/pdf`, at most 255 characters. */
        content_type: string;
        /** The bytes of the file in base64. */
        content_base64: string;
        /** For an image within the HTML: the body shows it with `<img src="cid:…">` and this id (at most 127 letters, digits and `.!#$%&'*+/=?^_{|}~@-`). */
        content_id?: (string | null) | undefined;
      }> | null)
    | undefined;
  /** For email: the display name of the sender, instead of that of the environment. At most 200 characters, without `<`, `>` and control characters. */
  from_name?: (string | null) | undefined;
  /** For email: the address that replies go to, without a name. At most 320 characters. */
  reply_to?: (string | null) | undefined;
  /** Each priority has a lane of its own, so bulk sends delay no others. The default is normal, and critical for a critical category. */
  priority?: ('critical' | 'normal' | 'bulk' | null) | undefined;
  /** The same as the header Idempotency-Key, which a batch does not have. If a single send has both, they must be equal. */
  idempotency_key?: (string | null) | undefined;
};

export type SendRequest = ByChannel<SendFields>;

export type Session = {
  id: string;
  created_at: string;
  /** Accurate to the minute. */
  last_seen_at: string;
  /** Extended with use, up to 7 days after the sign-in. */
  expires_at: string;
  /** The session of this request. */
  current: boolean;
};

export type SimulatedRun = {
  status: string;
  failure_reason: string | null;
  steps: Array<WorkflowStep>;
};

export type SimulatedScheduleRun = {
  at: string;
  /** The same moment on the clocks of `timezone`. */
  local_time: string;
  trigger_data: Record<string, unknown> | null;
  run: SimulatedRun | null;
  broadcast: BroadcastDryRun | null;
};

export type SmsProviders = {
  providers: Array<{
    id: string;
    kind: 'managed' | 'smsone' | 'smstwo' | 'http';
    name: string;
    enabled: boolean;
    from_number: string | null;
    from_sender_id: string | null;
    /** Whether the provider accepted the credentials when they were last checked. */
    credentials_validated: boolean;
    credentials_validated_at: string | null;
    /** The response of the provider to the check. */
    credentials_detail: string;
    /** Secrets show only their last characters. */
    config: Record<string, unknown>;
    /** The URL for delivery reports of the provider; null for kinds without reports. */
    callback_url: string | null;
    health: ProviderHealth;
  }>;
};

export type SmsProvidersRequest = {
  /** Tried in this order. */
  providers: Array<{
    /** The id of an existing provider: it keeps its id, its name and the omitted secrets. */
    id?: string | undefined;
    kind: 'managed' | 'smsone' | 'smstwo' | 'http';
    /** Shown in events and traces; unique within the environment. Defaults to the kind. */
    name?: string | undefined;
    enabled?: boolean | undefined;
    config?: Record<string, unknown> | undefined;
    /** The sender number in E.164 format. Rejected with `managed` if the operator sets the sender. */
    from_number?: (string | null) | undefined;
    /** An alphanumeric sender: up to 11 letters and digits, with at least one letter. Used except for the United States and Canada, where messages are sent from `from_number`. Rejected with `managed` if the operator sets the sender. */
    from_sender_id?: (string | null) | undefined;
  }>;
};

export type SmsSettings = {
  id: string;
  kind: 'Managed' | 'Smsone' | 'Smstwo' | 'Http';
  from_number: string | null;
  from_sender_id: string | null;
  /** Whether the provider accepted the credentials when they were last checked. */
  credentials_validated: boolean;
  credentials_validated_at: string | null;
  /** The response of the provider to the check. */
  credentials_detail: string;
  /** The URL for receipts and replies. Receipts are requested with every message; for replies (STOP), set this URL at the provider for incoming messages. */
  callback_url: string | null;
};

export type SmsSettingsRequest = {
  /** `managed`, `smsone` (Twilio) or `smstwo` (Vonage), case-insensitive. */
  kind: string;
  /** The sender number in E.164 format. Rejected with `managed` if the operator sets the sender. */
  from_number?: (string | null) | undefined;
  /** An alphanumeric sender: up to 11 letters and digits, with at least one letter. Used except for the United States and Canada, where messages are sent from `from_number`. Rejected with `managed` if the operator sets the sender. */
  from_sender_id?: (string | null) | undefined;
  /** For Twilio. Required with `smsone`, unless already set. */
  smsone_account_sid?: (string | null) | undefined;
  /** For Twilio. Required with `smsone`, unless already set for this account. */
  smsone_auth_token?: (string | null) | undefined;
  /** For Vonage. Required with `smstwo`, unless already set. */
  smstwo_api_key?: (string | null) | undefined;
  /** For Vonage. Required with `smstwo`, unless already set for this key. */
  smstwo_api_secret?: (string | null) | undefined;
  /** If set, delivery receipts must be signed with it. null removes it. */
  smstwo_signature_secret?: (string | null) | undefined;
};

export type StoredPriceTable = {
  /** Null while there are no prices. */
  currency: string | null;
  prices: Array<Price>;
};

export type Suppression = {
  id: string;
  /** Normalized: lower case, an internationalised domain in ASCII, numbers in E.164 format. */
  address: string;
  reason: 'hard_bounce' | 'complaint' | 'manual_add' | 'unsubscribed';
  source: 'provider' | 'manual' | 'recipient';
  /** The message of the provider. */
  diagnostic_detail: string | null;
  triggering_notification_id: string | null;
  suppressed_at: string;
};

export type SuppressionInput = {
  /** An email address or a phone number in E.164 format. */
  address: string;
  /** Defaults to manual_add; the other values are for imports. */
  reason?: ('hard_bounce' | 'complaint' | 'manual_add' | 'unsubscribed') | undefined;
};

export type Template = {
  id: string;
  key: string;
  name: string;
  version: number;
  subject_template: string;
  html_body_template: string;
  text_body_template: string;
  created_at: string;
  updated_at: string;
  bodies: Array<TemplateBody>;
  /** Kebab-case: `in-app`. */
  body_channels: Array<string>;
  push: PushRing | null;
};

export type TemplateBody = {
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
  locale: string | null;
  subject_template: string;
  text_template: string;
  html_template: string;
  structured_template: string;
  /** Null: the default layout of the channel. */
  layout: string | null;
};

export type TemplateBodyPut = {
  subject_template?: (string | null) | undefined;
  text_template?: (string | null) | undefined;
  html_template?: (string | null) | undefined;
  structured_template?: (string | null) | undefined;
  /** The key of a layout, or `none`. Omitted or null: the default layout of the channel. */
  layout?: (string | null) | undefined;
};

/** subject_template and html_body_template set the email body and are required without bodies. */
export type TemplateCreate = {
  key: string;
  name: string;
  subject_template?: (string | null) | undefined;
  html_body_template?: (string | null) | undefined;
  text_body_template?: (string | null) | undefined;
  bodies?:
    | Array<{
        channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree' | 'in-app';
        /** A language tag such as `de` or `de-AT`. */
        locale?: (string | null) | undefined;
        subject_template?: (string | null) | undefined;
        text_template?: (string | null) | undefined;
        html_template?: (string | null) | undefined;
        structured_template?: (string | null) | undefined;
        /** The key of a layout, or `none`. Omitted or null: the default layout of the channel. */
        layout?: (string | null) | undefined;
      }>
    | undefined;
  /** When in_app items of the template ring the devices of the user. null: as the category or the push settings say. */
  push?:
    | ({
        /** `always`: at once. `unseen`: if the item is not read within `after_seconds`. `never`: the inbox only. */
        mode: 'always' | 'unseen' | 'never';
        /** Only for `unseen`; defaults to 30. */
        after_seconds?: (number | null) | undefined;
      } | null)
    | undefined;
};

export type TemplatePartial = {
  id: string;
  key: string;
  /** Escaped like the field that renders it: as HTML, text or JSON. */
  template: string;
  version: number;
  created_at: string;
  updated_at: string;
};

/** The flat fields change the email body; bodies replaces all bodies. Omitted fields stay unchanged; null or an empty string clears a text, and null clears push. */
export type TemplatePatch = {
  name?: string | undefined;
  subject_template?: (string | null) | undefined;
  html_body_template?: (string | null) | undefined;
  text_body_template?: (string | null) | undefined;
  bodies?:
    | Array<{
        channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree' | 'in-app';
        /** A language tag such as `de` or `de-AT`. */
        locale?: (string | null) | undefined;
        subject_template?: (string | null) | undefined;
        text_template?: (string | null) | undefined;
        html_template?: (string | null) | undefined;
        structured_template?: (string | null) | undefined;
        /** The key of a layout, or `none`. Omitted or null: the default layout of the channel. */
        layout?: (string | null) | undefined;
      }>
    | undefined;
  /** When in_app items of the template ring the devices of the user. null: as the category or the push settings say. */
  push?:
    | ({
        /** `always`: at once. `unseen`: if the item is not read within `after_seconds`. `never`: the inbox only. */
        mode: 'always' | 'unseen' | 'never';
        /** Only for `unseen`; defaults to 30. */
        after_seconds?: (number | null) | undefined;
      } | null)
    | undefined;
};

export type TemplatePreview = {
  subject: string;
  html_body: string;
  /** For an email without a text template: derived from the HTML. */
  text_body: string;
  /** The JSON of a structured body; null for other channels. */
  structured: unknown;
  /** Variables that the template uses and the data does not contain: each resolved to nothing. */
  undefined_variables: Array<string>;
  /** Every data path that the body uses. */
  variables: Array<string>;
  /** Keys without a message in the locale: the default locale or the key is shown. */
  missing_translations: Array<string>;
  sms: {
    encoding: 'GSM-7' | 'UCS-2';
    /** Septets, or UTF-16 code units. */
    units: number;
    segments: number;
  } | null;
};

/** An unsaved body with its data. */
export type TemplatePreviewRequest = {
  channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree' | 'in-app';
  /** A language tag such as `de` or `de-AT`. */
  locale?: (string | null) | undefined;
  subject_template?: (string | null) | undefined;
  text_template?: (string | null) | undefined;
  html_template?: (string | null) | undefined;
  structured_template?: (string | null) | undefined;
  /** The key of a layout, or `none`. Omitted or null: the default layout of the channel. */
  layout?: (string | null) | undefined;
  data?: (Record<string, unknown> | null) | undefined;
  strict?: (boolean | null) | undefined;
};

export type TemplatePromotion = {
  /** Whether Live was changed; false in a dry run and if it was identical. */
  applied: boolean;
  status: 'new' | 'changed' | 'identical';
  template_diff: {
    key: string;
    status: 'added' | 'removed' | 'modified' | 'unchanged';
    name: 'added' | 'removed' | 'modified' | 'unchanged';
    push: 'added' | 'removed' | 'modified' | 'unchanged';
    bodies: Array<{
      channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
      locale: string | null;
      status: 'added' | 'removed' | 'modified' | 'unchanged';
      subject: 'added' | 'removed' | 'modified' | 'unchanged';
      text: 'added' | 'removed' | 'modified' | 'unchanged';
      html: 'added' | 'removed' | 'modified' | 'unchanged';
      structured: 'added' | 'removed' | 'modified' | 'unchanged';
      layout: 'added' | 'removed' | 'modified' | 'unchanged';
    }>;
    /** What the template uses, which is copied to Live with it. Removed: what it used in Live before; it stays there for other templates. */
    parts: Array<{
      kind: 'layout' | 'partial' | 'translation';
      /** Of a translation: its locale. */
      key: string;
      status: 'added' | 'removed' | 'modified' | 'unchanged';
    }>;
  };
};

/** The channel defaults to email, or else to the first one with a body. With strict, undefined variables and missing translations are rejected. The locale en-XA shows pseudo-translations. */
export type TemplateRender = {
  data?: (Record<string, unknown> | null) | undefined;
  channel?:
    | ('email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree' | 'in-app' | null)
    | undefined;
  /** A language tag such as `de` or `de-AT`. */
  locale?: (string | null) | undefined;
  strict?: (boolean | null) | undefined;
};

export type TemplateVersion = {
  version: number;
  name: string;
  created_at: string;
};

export type TemplateVersionContent = {
  version: number;
  name: string;
  created_at: string;
  bodies: Array<TemplateBody>;
  push: PushRing | null;
};

export type TestSent = {
  notification_id: string;
};

export type Topic = {
  id: string;
  key: string;
  name: string;
  description: string | null;
  subscriber_count: number;
  created_at: string;
};

export type TopicInput = {
  key: string;
  name: string;
  description?: (string | null) | undefined;
};

export type TopicSubscriber = {
  external_user_id: string;
  subscribed_at: string;
};

export type TopicSubscribers = {
  external_user_ids: Array<string>;
};

export type TopicUpdate = {
  name: string;
  description?: (string | null) | undefined;
};

export type Trace = {
  notification_id: string;
  status: 'queued' | 'sending' | 'sent' | 'failed' | 'suppressed' | 'delivered' | 'bounced' | 'complained';
  /** Why the notification did or did not arrive, in one sentence. */
  summary: string;
  next_attempt_at: string | null;
  entries: Array<TraceEntry>;
  webhook_deliveries: Array<WebhookDelivery>;
};

export type TraceEntry = {
  at: string;
  kind: 'gate' | 'attempt' | 'decision';
  /** The gate, the provider, or the rule that decided. */
  name: string;
  /** pass, suppress, defer, hold, drop; or the outcome of an attempt. */
  verdict: string;
  detail: string | null;
  code: string | null;
  provider_kind: string | null;
  provider_message_id: string | null;
  latency_ms: number | null;
  exchange: ProviderExchange | null;
};

export type Translation = {
  id: string;
  locale: string;
  is_default: boolean;
  message_count: number;
  /** Keys of the default locale, or used by templates, that this locale and its parents lack. */
  missing_count: number;
  version: number;
  created_at: string;
  updated_at: string;
  /** Nested keys. A text may contain `%{name}`; an object of plural categories (one, other, …) is one message. */
  messages: Record<string, unknown>;
};

export type TranslationPut = {
  /** Nested keys. A text may contain `%{name}`; an object of plural categories (one, other, …) is one message. */
  messages: Record<string, unknown>;
  /** Keys that another locale lacks come from this one, until another one becomes the default; the only locale always is. Omitted: unchanged. */
  is_default?: boolean | undefined;
};

export type TranslationSummary = {
  id: string;
  locale: string;
  is_default: boolean;
  message_count: number;
  /** Keys of the default locale, or used by templates, that this locale and its parents lack. */
  missing_count: number;
  version: number;
  created_at: string;
  updated_at: string;
};

export type TranslationVersion = {
  version: number;
  created_at: string;
  /** Nested keys. A text may contain `%{name}`; an object of plural categories (one, other, …) is one message. */
  messages: Record<string, unknown>;
};

/** status is `pending` after creation. */
export type TriggeredRun = {
  run_id: string;
  status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelling' | 'cancelled';
};

export type UnfreezeInput = {
  /** One channel; all channels when left out. */
  channel?: ('email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree' | null) | undefined;
};

export type Usage = {
  plan: 'free' | 'pro' | 'scale' | 'unmetered';
  period_start: string;
  period_end: string;
  /** Null if there is no limit. */
  included_sends: number | null;
  /** By this organization. */
  used_sends: number;
  /** By other organizations on the same plan with the same owner, which share the limit. 0 if there is no limit. */
  used_by_other_organizations: number;
  remaining_sends: number | null;
  /** Sends over the limit are rejected with 402. */
  hard_limit: boolean;
  by_channel: {
    email?: number | undefined;
    in_app?: number | undefined;
    webhook?: number | undefined;
    sms?: number | undefined;
    chatone?: number | undefined;
    chattwo?: number | undefined;
    chatthree?: number | undefined;
  };
  /** The storage of the environment of the key: notifications with attachments, inbox items, workflow runs and the sandbox. Counted on acceptance and measured periodically, which is when deletions show. Null if there is no quota. */
  stored_bytes: number | null;
  /** Sends over the quota are rejected with 402 `storage_quota_reached`. */
  stored_bytes_limit: number | null;
  estimated_cost: EstimatedCost | null;
};

export type User = {
  external_user_id: string;
  email: string | null;
  phone: string | null;
  name: string | null;
  locale: string | null;
  timezone: string | null;
  chatone_user_id: string | null;
  attributes: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type UserInput = {
  email?: (string | null) | undefined;
  /** In E.164 format. */
  phone?: (string | null) | undefined;
  name?: (string | null) | undefined;
  /** A language tag, for example `it` or `pt-BR`. */
  locale?: (string | null) | undefined;
  /** An IANA time zone name. */
  timezone?: (string | null) | undefined;
  chatone_user_id?: (string | null) | undefined;
  /** Facts about the user, for filters of broadcasts and for templates (`user.attributes`): at most 20 texts, numbers and booleans, together 2048 bytes as JSON. */
  attributes?: (Record<string, unknown> | null) | undefined;
};

export type UserTopic = {
  key: string;
  name: string;
  subscribed_at: string;
};

export type WebhookAttempt = {
  /** Starts at 1, across all retries. */
  number: number;
  succeeded: boolean;
  http_status_code: number | null;
  response_snippet: string | null;
  latency_ms: number;
  error: string | null;
  attempted_at: string;
};

export type WebhookDelivery = {
  id: string;
  endpoint_id: string;
  /** The `webhook-id` of every attempt. */
  event_id: string;
  event_type: string;
  status: 'pending' | 'in_flight' | 'succeeded' | 'permanent_failure' | 'failed';
  /** Of the last attempt, like the next three fields. */
  http_status_code: number | null;
  /** The first 1,024 bytes of the response. */
  response_snippet: string | null;
  latency_ms: number | null;
  /** A class and a sentence, for example `timeout: No complete answer …`. */
  error: string | null;
  attempt_count: number;
  /** What a `pending` delivery waits for: `paused`: until the endpoint is resumed. `retrying`: for its next attempt. Null otherwise. */
  status_detail: 'paused' | 'retrying' | null;
  /** Null while the endpoint is paused. */
  next_attempt_at: string | null;
  created_at: string;
};

export type WebhookDeliveryWithPayload = {
  id: string;
  endpoint_id: string;
  /** The `webhook-id` of every attempt. */
  event_id: string;
  event_type: string;
  status: 'pending' | 'in_flight' | 'succeeded' | 'permanent_failure' | 'failed';
  /** Of the last attempt, like the next three fields. */
  http_status_code: number | null;
  /** The first 1,024 bytes of the response. */
  response_snippet: string | null;
  latency_ms: number | null;
  /** A class and a sentence, for example `timeout: No complete answer …`. */
  error: string | null;
  attempt_count: number;
  /** What a `pending` delivery waits for: `paused`: until the endpoint is resumed. `retrying`: for its next attempt. Null otherwise. */
  status_detail: 'paused' | 'retrying' | null;
  /** Null while the endpoint is paused. */
  next_attempt_at: string | null;
  created_at: string;
  payload: Record<string, unknown>;
};

export type WebhookEndpoint = {
  id: string;
  url: string;
  /** `auto_disabled`: by the service, see `disabled_reason`. `disabled`: by DELETE. */
  status: 'active' | 'paused' | 'auto_disabled' | 'disabled';
  event_filters: Array<string>;
  description: string;
  timeout_seconds: number;
  /** The first 8 characters, to identify the secret. */
  signing_secret_prefix: string;
  /** Deliveries that wait because the endpoint is paused, or has been resumed and they are not released yet. Counted up to 10000. */
  paused_delivery_count: number;
  /** The first failure after the last success. */
  failing_since: string | null;
  /** `gone`: the endpoint returned 410. `failing`: five days without a success. */
  disabled_reason: 'gone' | 'failing' | null;
  created_at: string;
};

/** Omitted fields stay unchanged. null returns `event_filters`, `description` and `timeout_seconds` to their default. */
export type WebhookEndpointChange = {
  url?: string | undefined;
  /** The event types to deliver; empty means all. */
  event_filters?: (Array<string> | null) | undefined;
  description?: (string | null) | undefined;
  /** For the whole call, until the last byte of the response. */
  timeout_seconds?: (number | null) | undefined;
  /** `paused`: deliveries wait, also those of new events. `active` resumes a paused or disabled endpoint: deliveries that wait are sent, oldest first. */
  status?: ('active' | 'paused') | undefined;
};

export type WebhookEndpointHealth = {
  endpoint_id: string;
  window: '1h' | '6h' | '24h' | '7d';
  from: string;
  to: string;
  step_seconds: number;
  /** Oldest first, including steps without calls. */
  series: Array<WebhookHealthPoint>;
  /** Calls, not deliveries: each retry counts. */
  succeeded: number;
  failed: number;
  success_rate: number | null;
  /** Of all calls, including failed ones; accurate to a factor of 1.3 to 2. */
  latency: {
    p50_ms: number;
    p95_ms: number;
    p99_ms: number;
  } | null;
};

export type WebhookEndpointWithSecret = {
  id: string;
  url: string;
  /** `auto_disabled`: by the service, see `disabled_reason`. `disabled`: by DELETE. */
  status: 'active' | 'paused' | 'auto_disabled' | 'disabled';
  event_filters: Array<string>;
  description: string;
  timeout_seconds: number;
  /** The first 8 characters, to identify the secret. */
  signing_secret_prefix: string;
  /** Deliveries that wait because the endpoint is paused, or has been resumed and they are not released yet. Counted up to 10000. */
  paused_delivery_count: number;
  /** The first failure after the last success. */
  failing_since: string | null;
  /** `gone`: the endpoint returned 410. `failing`: five days without a success. */
  disabled_reason: 'gone' | 'failing' | null;
  created_at: string;
  /** Shown only in this response. */
  signing_secret: string;
};

export type WebhookHealthPoint = {
  at: string;
  succeeded: number;
  failed: number;
  median_latency_ms: number | null;
};

export type Workflow = {
  id: string;
  key: string;
  name: string;
  description: string | null;
  /** draft: no version has been activated yet. */
  status: 'draft' | 'active' | 'disabled';
  active_version: number | null;
  latest_version: number | null;
  /** Runs triggered in the last seven days, by full hours. Triggers in the last seconds may be missing. */
  trigger_count_7d: number;
  created_at: string;
  updated_at: string;
};

export type WorkflowCreate = {
  key: string;
  name: string;
  description?: (string | null) | undefined;
};

export type WorkflowDetail = {
  id: string;
  key: string;
  name: string;
  description: string | null;
  /** draft: no version has been activated yet. */
  status: 'draft' | 'active' | 'disabled';
  active_version: number | null;
  latest_version: number | null;
  /** Runs triggered in the last seven days, by full hours. Triggers in the last seconds may be missing. */
  trigger_count_7d: number;
  created_at: string;
  updated_at: string;
  /** The body of the active version as JSON text; null without one. */
  active_body_json: string | null;
};

export type WorkflowEvent = {
  event_name: string;
  event_data: Record<string, unknown>;
};

/** Omitted fields stay unchanged; null clears the description. */
export type WorkflowPatch = {
  name?: string | undefined;
  description?: (string | null) | undefined;
};

export type WorkflowPromotion = {
  /** Whether Live was changed; false in a dry run and if it was identical. */
  applied: boolean;
  status: 'new' | 'changed' | 'identical';
  workflow_diff: {
    key: string;
    status: 'added' | 'removed' | 'modified' | 'unchanged';
    name: 'added' | 'removed' | 'modified' | 'unchanged';
    description: 'added' | 'removed' | 'modified' | 'unchanged';
    trigger_data_schema: 'added' | 'removed' | 'modified' | 'unchanged';
    steps: Array<{
      id: string;
      status: 'added' | 'removed' | 'modified' | 'unchanged';
    }>;
    templates: Array<unknown>;
  };
  /** The version in Live with this body; in a dry run, the version that would be created. */
  target_version: number;
};

export type WorkflowRun = {
  id: string;
  workflow_key: string;
  /** The version of the run; it never changes. */
  version: number;
  status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelling' | 'cancelled';
  current_step_id: string | null;
  /** From trigger_data (`external_user_id`, or that of `recipient` or `user`), or else from the first send that has one. */
  external_user_id: string | null;
  trigger_data: Record<string, unknown>;
  source: 'Production' | 'Test';
  created_at: string;
  completed_at: string | null;
  failure_reason: string | null;
  steps: Array<WorkflowStep>;
};

export type WorkflowRunSummary = {
  id: string;
  workflow_key: string;
  /** The version of the run; it never changes. */
  version: number;
  status: 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelling' | 'cancelled';
  current_step_id: string | null;
  /** From trigger_data (`external_user_id`, or that of `recipient` or `user`), or else from the first send that has one. */
  external_user_id: string | null;
  trigger_data: Record<string, unknown>;
  source: 'Production' | 'Test';
  created_at: string;
  completed_at: string | null;
  failure_reason: string | null;
};

export type WorkflowSimulate = {
  trigger_data: Record<string, unknown>;
  events?:
    | (Array<{
        event_name: string;
        event_data: Record<string, unknown>;
        /** A timestamp, or a duration after the start. By default, as soon as the run waits for the event. */
        at?: string | undefined;
      }> | null)
    | undefined;
  /** The JSON responses of fetch steps, by step id; a step without one gets null. */
  responses?: (Record<string, unknown> | null) | undefined;
  now?: (string | null) | undefined;
  /** The time zone of the user that the run is about. */
  recipient_timezone?: (string | null) | undefined;
};

export type WorkflowStep = {
  step_id: string;
  kind: 'send' | 'delay' | 'branch' | 'wait_for_event' | 'digest' | 'throttle' | 'fetch' | 'cancel' | 'noop';
  /** Distinguishes repetitions of a step in a loop. */
  attempt_id: string;
  status: 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  outcome:
    | 'sent'
    | 'suppressed'
    | 'branched'
    | 'delayed'
    | 'digested'
    | 'passed'
    | 'throttled'
    | 'event_received'
    | 'timed_out'
    | 'fetched'
    | 'skipped'
    | 'failed'
    | 'cancelled'
    | 'noop'
    | null;
  notification_id: string | null;
  /** The output of the step for later steps, as JSON text. */
  output_json: string | null;
  next_step_id: string | null;
  next_scheduled_at: string | null;
  started_at: string;
  completed_at: string | null;
};

export type WorkflowTrigger = {
  trigger_data: Record<string, unknown>;
  /** The `chain` of the event that led to this trigger. */
  chain?: string | undefined;
};

export type WorkflowValidation = {
  valid: boolean;
  errors: Array<{
    code: string;
    message: string;
    /** JSON Pointer into the body. */
    pointer: string;
  }>;
};

export type WorkflowVersion = {
  workflow_key: string;
  id: string;
  version: number;
  is_active: boolean;
  activated_at: string | null;
  /** When the version was replaced or the workflow was disabled. */
  deactivated_at: string | null;
  created_at: string;
  /** Credentials of fetch steps are masked except for their last characters. Saving the masked value keeps the credential. */
  body_json: string;
};

/** Set one of the two. The JSON Schema of the body is at /workflows/schema.json. */
export type WorkflowVersionCreate = {
  /** The body as JSON text. */
  body_json?: (string | null) | undefined;
  body?: (Record<string, unknown> | null) | undefined;
};

export type WorkflowVersionSummary = {
  id: string;
  version: number;
  is_active: boolean;
  activated_at: string | null;
  /** When the version was replaced or the workflow was disabled. */
  deactivated_at: string | null;
  created_at: string;
};

export type ListNotificationsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Only those with this status. */
  status?:
    | ('queued' | 'sending' | 'sent' | 'failed' | 'suppressed' | 'delivered' | 'bounced' | 'complained')
    | undefined;
  /** Why they wait, or ended without a send. It implies the status. */
  status_detail?:
    | (
        | 'scheduled'
        | 'held'
        | 'paused'
        | 'quiet_hours'
        | 'throttled'
        | 'retrying'
        | 'cancelled'
        | 'held_expired'
        | 'expired'
      )
    | undefined;
  /** The channel. */
  channel?: ('email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree') | undefined;
  /** The key of the category. */
  category?: string | undefined;
  /** The key of the template. */
  template_key?: string | undefined;
  /** The recipient address (`recipient.address`), case-insensitive. */
  recipient?: string | undefined;
  /** Your id of the user. */
  external_user_id?: string | undefined;
  /** The id of the broadcast. */
  broadcast_id?: string | undefined;
  /** Only those created at or after this time. */
  created_after?: string | undefined;
  /** Only those created before this time. */
  created_before?: string | undefined;
};

export type ListNotificationsResult = {
  data: Array<Notification>;
  next_cursor: string | null;
};

export type SendNotificationBatchParams = {
  notifications: Array<SendRequest>;
};

export type SendNotificationBatchResult = {
  data: Array<{
    index: number;
    notification?: Notification | undefined;
    error?:
      | {
          type: string;
          code: string;
          message: string;
          param: string | null;
        }
      | undefined;
  }>;
};

export type ListBulkActionsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Only those with this status. */
  status?: ('running' | 'completed' | 'cancelled') | undefined;
};

export type ListBulkActionsResult = {
  data: Array<BulkAction>;
  next_cursor: string | null;
};

export type ListTemplatesParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** A part of the key or the name, case-insensitive. */
  search?: string | undefined;
};

export type ListTemplatesResult = {
  data: Array<Template>;
  next_cursor: string | null;
};

export type PutTemplateBodyParams = TemplateBodyPut & {
  /** A language tag such as `de` or `de-AT`. */
  locale?: string | undefined;
};

export type DeleteTemplateBodyParams = {
  /** A language tag such as `de` or `de-AT`. */
  locale?: string | undefined;
};

export type ListTemplateVersionsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListTemplateVersionsResult = {
  data: Array<TemplateVersion>;
  next_cursor: string | null;
};

export type PromoteTemplateParams = {
  dry_run?: (boolean | null) | undefined;
};

export type ListLayoutsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** A part of the key, case-insensitive. */
  search?: string | undefined;
};

export type ListLayoutsResult = {
  data: Array<Layout>;
  next_cursor: string | null;
};

export type ListLayoutVersionsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListLayoutVersionsResult = {
  data: Array<PartVersion>;
  next_cursor: string | null;
};

export type ListPartialsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** A part of the key, case-insensitive. */
  search?: string | undefined;
};

export type ListPartialsResult = {
  data: Array<TemplatePartial>;
  next_cursor: string | null;
};

export type ListPartialVersionsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListPartialVersionsResult = {
  data: Array<PartVersion>;
  next_cursor: string | null;
};

export type ListTranslationsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** A part of the key, case-insensitive. */
  search?: string | undefined;
};

export type ListTranslationsResult = {
  data: Array<TranslationSummary>;
  next_cursor: string | null;
};

export type ListMissingTranslationsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Only this locale. */
  locale?: string | undefined;
};

export type ListMissingTranslationsResult = {
  data: Array<MissingTranslation>;
  next_cursor: string | null;
};

export type ListTranslationVersionsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListTranslationVersionsResult = {
  data: Array<PartVersion>;
  next_cursor: string | null;
};

export type ListCategoriesParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Whether archived ones are listed too. */
  include_archived?: boolean | undefined;
};

export type ListCategoriesResult = {
  data: Array<Category>;
  next_cursor: string | null;
};

export type GetUserPreferencesResult = {
  data: Array<Preference>;
};

export type SetUserPreferencesParams = {
  preferences: Array<{
    category_key: string;
    channel: 'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree';
    opted_in: boolean;
  }>;
};

export type SetUserPreferencesResult = {
  data: Array<Preference>;
};

export type SetUserPreferenceParams = {
  opted_in: boolean;
};

export type ListSuppressionsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** An email address or a phone number in E.164 format. */
  address?: string | undefined;
  /** The beginning of the address. */
  search?: string | undefined;
  /** Only those with this reason. */
  reason?: ('hard_bounce' | 'complaint' | 'manual_add' | 'unsubscribed') | undefined;
};

export type ListSuppressionsResult = {
  data: Array<Suppression>;
  has_more: boolean;
  next_cursor: string | null;
};

export type RemoveSuppressionParams = {
  /** The reason, for the audit log. */
  note?: string | undefined;
};

export type ListUsersParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** The beginning of the `external_user_id` or the email, case-insensitive. */
  search?: string | undefined;
};

export type ListUsersResult = {
  data: Array<User>;
  next_cursor: string | null;
};

export type ListTopicsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** A part of the key or the name, case-insensitive. */
  search?: string | undefined;
};

export type ListTopicsResult = {
  data: Array<Topic>;
  next_cursor: string | null;
};

export type ListTopicSubscribersParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListTopicSubscribersResult = {
  data: Array<TopicSubscriber>;
  next_cursor: string | null;
};

export type AddTopicSubscribersResult = {
  /** Users who did not follow the topic before. */
  added: number;
};

export type RemoveTopicSubscribersResult = {
  /** Users who followed the topic. */
  removed: number;
};

export type ListTopicsOfUserResult = {
  data: Array<UserTopic>;
};

export type PreviewAudienceParams = {
  audience: Audience;
};

export type ListBroadcastsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Only those with this status. */
  status?: ('scheduled' | 'preparing' | 'running' | 'paused' | 'done' | 'cancelled') | undefined;
};

export type ListBroadcastsResult = {
  data: Array<Broadcast>;
  next_cursor: string | null;
};

export type ListBrakeRulesResult = {
  data: Array<BrakeRule>;
  next_cursor: string | null;
};

export type ListHoldsResult = {
  data: Array<Hold>;
  next_cursor: string | null;
};

export type ListReleasesParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListReleasesResult = {
  data: Array<HoldRelease>;
  next_cursor: string | null;
};

export type CreateInboxTokenResult = {
  token: string;
  expires_at: string;
};

export type RotateInboxKeyParams = {
  /** How long earlier keys keep verifying tokens. Use 0 if they are compromised. */
  overlap_seconds?: number | undefined;
};

export type RotateInboxKeyResult = {
  /** Shown only once. */
  signing_key: string;
  previous_valid_until: string;
};

export type ListUserDevicesResult = {
  data: Array<Device>;
  next_cursor: string | null;
};

export type ListWebhookEndpointsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Whether disabled ones are listed too. */
  include_disabled?: boolean | undefined;
};

export type ListWebhookEndpointsResult = {
  data: Array<WebhookEndpoint>;
  next_cursor: string | null;
};

export type RotateEnvironmentWebhookSecretResult = {
  environment_id: string;
  signing_secret_prefix: string;
  /** Shown only in this response. */
  signing_secret: string;
};

export type ListWebhookDeliveriesParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Only those with this status. */
  status?: ('pending' | 'in_flight' | 'succeeded' | 'permanent_failure' | 'failed') | undefined;
  /** For example `notification.sent`. Types that do not exist yet are allowed. */
  event_type?: string | undefined;
  /** Deliveries of events of this notification. */
  notification_id?: string | undefined;
};

export type ListWebhookDeliveriesResult = {
  data: Array<WebhookDelivery>;
  next_cursor: string | null;
};

export type ListWebhookAttemptsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListWebhookAttemptsResult = {
  data: Array<WebhookAttempt>;
  next_cursor: string | null;
};

export type RecoverWebhookEndpointParams = {
  /** Deliveries that failed permanently at or after this time, and pending ones of events since then. */
  since: string;
};

export type RecoverWebhookEndpointResult = {
  /** Deliveries that are retried, a hundred per second. */
  count: number;
};

export type DiscardPendingWebhookDeliveriesResult = {
  /** Deliveries that were discarded. */
  count: number;
};

export type GetOverviewParams = {
  /** The time window. Counts are kept for seven days. */
  window?: ('1h' | '6h' | '24h' | '7d') | undefined;
};

export type GetWebhookEndpointHealthParams = {
  /** The time window. Counts are kept for seven days. */
  window?: ('1h' | '6h' | '24h' | '7d') | undefined;
};

export type ListWorkflowsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Only those with this status. */
  status?: ('draft' | 'active' | 'disabled') | undefined;
  /** A part of the key or the name, case-insensitive. */
  search?: string | undefined;
};

export type ListWorkflowsResult = {
  data: Array<Workflow>;
  next_cursor: string | null;
};

export type PromoteWorkflowParams = {
  dry_run?: (boolean | null) | undefined;
  /** Also promote templates: true for those used in the body, or a list of template keys. Requires templates:promote. */
  include_templates?: (boolean | Array<string> | null) | undefined;
};

export type ListWorkflowVersionsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListWorkflowVersionsResult = {
  data: Array<WorkflowVersionSummary>;
  next_cursor: string | null;
};

export type ActivateWorkflowVersionParams = {
  /** Whether to check only, and change nothing. */
  dry_run?: boolean | undefined;
};

export type ListWorkflowRunsParams = {
  /** Only those with this status. */
  status?:
    | ('pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelling' | 'cancelled')
    | undefined;
  /** Your id of the user. */
  external_user_id?: string | undefined;
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_page_token` of the page before. */
  page_token?: string | undefined;
  /** The same as `page_token`. */
  cursor?: string | undefined;
};

export type ListWorkflowRunsResult = {
  items: Array<WorkflowRunSummary>;
  next_page_token: string | null;
};

export type ListSchedulesParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Only those with this status. */
  status?: ('active' | 'paused' | 'ended') | undefined;
};

export type ListSchedulesResult = {
  data: Array<Schedule>;
  next_cursor: string | null;
};

export type ListScheduleRunsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListScheduleRunsResult = {
  data: Array<ScheduleRun>;
  next_cursor: string | null;
};

export type ListSandboxMessagesParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** The id of the notification. */
  notification_id?: string | undefined;
  /** The channel. */
  channel?: ('email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree') | undefined;
  /** The beginning of the recipient’s address, case-insensitive. */
  to?: string | undefined;
  /** Created after this time. */
  created_after?: string | undefined;
};

export type ListSandboxMessagesResult = {
  data: Array<SandboxMessage>;
  next_cursor: string | null;
};

export type GetEmailSettingsResult = {
  from_address: string | null;
  from_name: string | null;
  reply_to: string | null;
  sender_locked: boolean;
  /** The sender of every email while the environment has no enabled provider and uses the operator’s server; `from_address` and `from_name` are then ignored. Otherwise null. */
  managed_from: string | null;
  track_opens: boolean;
  track_clicks: boolean;
  providers: Array<{
    id: string;
    kind: 'smtp' | 'ses' | 'sendgrid' | 'postmark' | 'resend' | 'mailgun' | 'http' | 'sandbox';
    name: string;
    enabled: boolean;
    /** Secrets show only their last characters. */
    config: Record<string, unknown>;
    /** The URL for delivery reports of the provider; null for kinds without reports. */
    callback_url: string | null;
    health: ProviderHealth;
  }>;
};

export type ReplaceEmailSettingsParams = {
  /** The From address of every email, unless the operator’s server sends it (`managed_from` in the response). */
  from_address?: (string | null) | undefined;
  /** The default display name. */
  from_name?: (string | null) | undefined;
  reply_to?: (string | null) | undefined;
  /** Requests cannot change the display name. Always true while email is sent through the operator’s server; false is then rejected. */
  sender_locked?: boolean | undefined;
  track_opens?: boolean | undefined;
  track_clicks?: boolean | undefined;
  /** Tried in this order. */
  providers?:
    | Array<{
        /** The id of an existing provider: it keeps its id, its name and the omitted secrets. */
        id?: string | undefined;
        kind: 'smtp' | 'ses' | 'sendgrid' | 'postmark' | 'resend' | 'mailgun' | 'http' | 'sandbox';
        /** Shown in events and traces; unique within the environment. Defaults to the kind. */
        name?: string | undefined;
        enabled?: boolean | undefined;
        config?: Record<string, unknown> | undefined;
      }>
    | undefined;
};

export type ReplaceEmailSettingsResult = {
  from_address: string | null;
  from_name: string | null;
  reply_to: string | null;
  sender_locked: boolean;
  /** The sender of every email while the environment has no enabled provider and uses the operator’s server; `from_address` and `from_name` are then ignored. Otherwise null. */
  managed_from: string | null;
  track_opens: boolean;
  track_clicks: boolean;
  providers: Array<{
    id: string;
    kind: 'smtp' | 'ses' | 'sendgrid' | 'postmark' | 'resend' | 'mailgun' | 'http' | 'sandbox';
    name: string;
    enabled: boolean;
    /** Secrets show only their last characters. */
    config: Record<string, unknown>;
    /** The URL for delivery reports of the provider; null for kinds without reports. */
    callback_url: string | null;
    health: ProviderHealth;
  }>;
};

export type UpdateEmailSettingsParams = {
  /** The From address of every email, unless the operator’s server sends it (`managed_from` in the response). */
  from_address?: (string | null) | undefined;
  /** The default display name. */
  from_name?: (string | null) | undefined;
  reply_to?: (string | null) | undefined;
  /** Requests cannot change the display name. Always true while email is sent through the operator’s server; false is then rejected. */
  sender_locked?: boolean | undefined;
  track_opens?: boolean | undefined;
  track_clicks?: boolean | undefined;
  /** Tried in this order. */
  providers?:
    | Array<{
        /** The id of an existing provider: it keeps its id, its name and the omitted secrets. */
        id?: string | undefined;
        kind: 'smtp' | 'ses' | 'sendgrid' | 'postmark' | 'resend' | 'mailgun' | 'http' | 'sandbox';
        /** Shown in events and traces; unique within the environment. Defaults to the kind. */
        name?: string | undefined;
        enabled?: boolean | undefined;
        config?: Record<string, unknown> | undefined;
      }>
    | undefined;
};

export type UpdateEmailSettingsResult = {
  from_address: string | null;
  from_name: string | null;
  reply_to: string | null;
  sender_locked: boolean;
  /** The sender of every email while the environment has no enabled provider and uses the operator’s server; `from_address` and `from_name` are then ignored. Otherwise null. */
  managed_from: string | null;
  track_opens: boolean;
  track_clicks: boolean;
  providers: Array<{
    id: string;
    kind: 'smtp' | 'ses' | 'sendgrid' | 'postmark' | 'resend' | 'mailgun' | 'http' | 'sandbox';
    name: string;
    enabled: boolean;
    /** Secrets show only their last characters. */
    config: Record<string, unknown>;
    /** The URL for delivery reports of the provider; null for kinds without reports. */
    callback_url: string | null;
    health: ProviderHealth;
  }>;
};

export type VerifyEmailProviderResult = {
  ok: boolean;
  detail: string;
};

export type VerifySmsProviderResult = {
  ok: boolean;
  detail: string;
};

export type ListChatoneInstallationsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListChatoneInstallationsResult = {
  data: Array<ChatoneInstallation>;
  next_cursor: string | null;
};

export type ListChattwoEndpointsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** The same as `cursor`. */
  page_token?: string | undefined;
};

export type ListChattwoEndpointsResult = {
  data: Array<ChattwoEndpoint>;
  /** Only in the answer to a request with a limit or a cursor. */
  next_cursor?: (string | null) | undefined;
};

export type ListChatthreeEndpointsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** The same as `cursor`. */
  page_token?: string | undefined;
};

export type ListChatthreeEndpointsResult = {
  data: Array<ChatthreeEndpoint>;
  /** Only in the answer to a request with a limit or a cursor. */
  next_cursor?: (string | null) | undefined;
};

export type GetMeResult = {
  organization_id: string;
  environment_id: string;
  environment_kind: 'test' | 'live';
  key_id: string | null;
  /** The preset of the key, or `custom`; null for a dashboard session. */
  key_scope: 'full_access' | 'send_only' | 'read_only' | 'custom' | null;
  scopes: Array<
    | 'notifications:send'
    | 'notifications:read'
    | 'notifications:write'
    | 'templates:read'
    | 'templates:write'
    | 'templates:promote'
    | 'preferences:read'
    | 'preferences:write'
    | 'audiences:read'
    | 'audiences:write'
    | 'broadcasts:read'
    | 'broadcasts:write'
    | 'suppressions:read'
    | 'suppressions:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'channels:read'
    | 'channels:write'
    | 'workflows:trigger'
    | 'workflows:read'
    | 'workflows:write'
    | 'workflows:promote'
    | 'schedules:read'
    | 'schedules:write'
    | 'brake:read'
    | 'brake:write'
    | 'keys:read'
    | 'keys:write'
  >;
  /** `secret`: an API key. `session`: a dashboard user. */
  key_type: 'secret' | 'session';
};

export type ListEnvironmentsResult = {
  data: Array<{
    id: string;
    name: string;
    kind: 'test' | 'live';
    created_at: string;
  }>;
  next_cursor: string | null;
};

export type GetEnvironmentResult = {
  id: string;
  name: string;
  kind: 'test' | 'live';
  created_at: string;
};

export type ListApiKeysParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListApiKeysResult = {
  data: Array<{
    id: string;
    name: string;
    preset: 'full_access' | 'send_only' | 'read_only' | null;
    scopes: Array<
      | 'notifications:send'
      | 'notifications:read'
      | 'notifications:write'
      | 'templates:read'
      | 'templates:write'
      | 'templates:promote'
      | 'preferences:read'
      | 'preferences:write'
      | 'audiences:read'
      | 'audiences:write'
      | 'broadcasts:read'
      | 'broadcasts:write'
      | 'suppressions:read'
      | 'suppressions:write'
      | 'webhooks:read'
      | 'webhooks:write'
      | 'channels:read'
      | 'channels:write'
      | 'workflows:trigger'
      | 'workflows:read'
      | 'workflows:write'
      | 'workflows:promote'
      | 'schedules:read'
      | 'schedules:write'
      | 'brake:read'
      | 'brake:write'
      | 'keys:read'
      | 'keys:write'
    >;
    /** The last 4 characters, to identify the key. */
    last4: string;
    created_by_user_id: string;
    created_at: string;
    expires_at: string | null;
    /** Accurate to the minute. */
    last_used_at: string | null;
  }>;
  next_cursor: string | null;
};

export type CreateApiKeyParams = {
  name: string;
  /** Set this or `scopes`. `full_access`: every scope, including promotion to Live. `send_only`: `notifications:send` and `workflows:trigger`. `read_only`: every `:read`. */
  preset?: ('full_access' | 'send_only' | 'read_only') | undefined;
  /** Set this or `preset`. */
  scopes?:
    | Array<
        | 'notifications:send'
        | 'notifications:read'
        | 'notifications:write'
        | 'templates:read'
        | 'templates:write'
        | 'templates:promote'
        | 'preferences:read'
        | 'preferences:write'
        | 'audiences:read'
        | 'audiences:write'
        | 'broadcasts:read'
        | 'broadcasts:write'
        | 'suppressions:read'
        | 'suppressions:write'
        | 'webhooks:read'
        | 'webhooks:write'
        | 'channels:read'
        | 'channels:write'
        | 'workflows:trigger'
        | 'workflows:read'
        | 'workflows:write'
        | 'workflows:promote'
        | 'schedules:read'
        | 'schedules:write'
        | 'brake:read'
        | 'brake:write'
        | 'keys:read'
        | 'keys:write'
      >
    | undefined;
  /** In the future; by default the key does not expire. */
  expires_at?: (string | null) | undefined;
};

export type CreateApiKeyResult = {
  id: string;
  name: string;
  preset: 'full_access' | 'send_only' | 'read_only' | null;
  scopes: Array<
    | 'notifications:send'
    | 'notifications:read'
    | 'notifications:write'
    | 'templates:read'
    | 'templates:write'
    | 'templates:promote'
    | 'preferences:read'
    | 'preferences:write'
    | 'audiences:read'
    | 'audiences:write'
    | 'broadcasts:read'
    | 'broadcasts:write'
    | 'suppressions:read'
    | 'suppressions:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'channels:read'
    | 'channels:write'
    | 'workflows:trigger'
    | 'workflows:read'
    | 'workflows:write'
    | 'workflows:promote'
    | 'schedules:read'
    | 'schedules:write'
    | 'brake:read'
    | 'brake:write'
    | 'keys:read'
    | 'keys:write'
  >;
  /** The last 4 characters, to identify the key. */
  last4: string;
  created_by_user_id: string;
  created_at: string;
  expires_at: string | null;
  /** Accurate to the minute. */
  last_used_at: string | null;
  /** The secret key. Shown only in this response. */
  key: string;
};

export type RotateApiKeyParams = {
  /** How long the old key keeps working. */
  grace_seconds?: number | undefined;
};

export type RotateApiKeyResult = {
  id: string;
  name: string;
  preset: 'full_access' | 'send_only' | 'read_only' | null;
  scopes: Array<
    | 'notifications:send'
    | 'notifications:read'
    | 'notifications:write'
    | 'templates:read'
    | 'templates:write'
    | 'templates:promote'
    | 'preferences:read'
    | 'preferences:write'
    | 'audiences:read'
    | 'audiences:write'
    | 'broadcasts:read'
    | 'broadcasts:write'
    | 'suppressions:read'
    | 'suppressions:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'channels:read'
    | 'channels:write'
    | 'workflows:trigger'
    | 'workflows:read'
    | 'workflows:write'
    | 'workflows:promote'
    | 'schedules:read'
    | 'schedules:write'
    | 'brake:read'
    | 'brake:write'
    | 'keys:read'
    | 'keys:write'
  >;
  /** The last 4 characters, to identify the key. */
  last4: string;
  created_by_user_id: string;
  created_at: string;
  expires_at: string | null;
  /** Accurate to the minute. */
  last_used_at: string | null;
  /** The secret key. Shown only in this response. */
  key: string;
};

export type LoginParams = {
  email: string;
  password: string;
};

export type UpdatePersonParams = {
  name: string;
};

export type ChangePasswordParams = {
  current_password: string;
  new_password: string;
};

export type ListSessionsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListSessionsResult = {
  data: Array<Session>;
  next_cursor: string | null;
};

export type CreateOrganizationParams = {
  name: string;
};

export type UpdateOrganizationParams = {
  name: string;
};

export type ListMembersParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListMembersResult = {
  data: Array<Member>;
  next_cursor: string | null;
};

export type UpdateMemberParams = {
  role: 'owner' | 'admin' | 'developer' | 'viewer';
};

export type ListInvitationsParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
};

export type ListInvitationsResult = {
  data: Array<Invitation>;
  next_cursor: string | null;
};

export type CreateInvitationParams = {
  email: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
};

export type LookUpInvitationParams = {
  /** The part after the # in the link. */
  token: string;
};

export type AcceptInvitationParams = {
  /** The part after the # in the link. */
  token: string;
  name?: string | undefined;
  /** Of the existing account; otherwise a new one, of at least 10 characters. */
  password: string;
};

export type ListAuditEntriesParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Only entries about this action. */
  action?: string | undefined;
  /** Only entries about this resource. */
  target?: string | undefined;
  /** Only entries of this person or key. */
  actor_id?: string | undefined;
  /** At or after this time. */
  created_after?: string | undefined;
  /** Before this time. */
  created_before?: string | undefined;
};

export type ListAuditEntriesResult = {
  data: Array<{
    id: string;
    actor: {
      kind: 'key' | 'user' | 'system';
      id: string | null;
    };
    /** For example `api_key.created`. */
    action: string;
    /** For example `api_key:` and the id. */
    target: string;
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
    request_id: string | null;
    /** Set for sign-ins and for changes to members and API keys; otherwise null. */
    ip_address: string | null;
    /** Set for the same entries; the first 300 characters. */
    user_agent: string | null;
    environment_id: string | null;
    created_at: string;
  }>;
  next_cursor: string | null;
};

export type GetHealthResult = {
  status: string;
};

export type GetReadinessResult = {
  status: string;
  components: Array<{
    name: string;
    ok: boolean;
    detail: string;
  }>;
};

export type GetStatusResult = {
  /** degraded: a component is failing, or an incident is active. */
  status: 'operational' | 'degraded';
  version: string;
  time: string;
  /** Same as time. */
  checked_at: string;
  components: Array<{
    name: string;
    status: 'operational' | 'degraded';
  }>;
  /** At most 20, newest first. */
  active_incidents: Array<Incident>;
  /** Resolved in the last 14 days; at most 20, newest first. */
  recent_incidents: Array<Incident>;
};

export type VerifyInboxTokenResult = {
  external_user_id: string;
  organization_id: string;
  environment_id: string;
  scopes: Array<'inbox' | 'prefs'>;
  expires_at: string;
};

export type GetInboxFeedParams = {
  /** The number of items in a page, at most 100. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  cursor?: string | undefined;
  /** Snoozed items are only in the list of `snoozed`. */
  status?: ('all' | 'read' | 'unread' | 'snoozed') | undefined;
  /** Only items of this category. */
  category?: string | undefined;
  /** Only items with this tag. */
  tag?: string | undefined;
};

export type GetInboxFeedResult = {
  data: Array<InboxItem>;
  next_cursor: string | null;
  unread_count: number;
};

export type GetInboxUnreadCountResult = {
  unread_count: number;
};

export type MarkInboxReadParams = {
  /** Only items that arrived earlier; defaults to all. */
  before?: (string | null) | undefined;
  /** Only these items. */
  ids?: (Array<string> | null) | undefined;
  /** Only items of the category with this key. */
  category?: (string | null) | undefined;
  /** Only items with this tag. */
  tag?: (string | null) | undefined;
};

export type MarkInboxReadResult = {
  marked_count: number;
  unread_count: number;
};

export type ArchiveInboxItemsParams = {
  /** Only items that arrived earlier; defaults to all. */
  before?: (string | null) | undefined;
  /** Only these items. */
  ids?: (Array<string> | null) | undefined;
  /** Only items of the category with this key. */
  category?: (string | null) | undefined;
  /** Only items with this tag. */
  tag?: (string | null) | undefined;
  /** `read`: unread items stay. */
  status?: ('all' | 'read' | null) | undefined;
};

export type ArchiveInboxItemsResult = {
  archived_count: number;
  unread_count: number;
};

export type SnoozeInboxItemParams = {
  /** When the item returns: in the future, at most 365 days ahead. */
  until: string;
};

export type CreateStreamTicketResult = {
  ticket: string;
  expires_in: number;
};

export type GetOwnPreferencesResult = {
  data: Array<Preference>;
  /** The names of the categories, for display. */
  categories: Array<{
    key: string;
    name: string;
    description: string | null;
    default_channels: Array<'email' | 'in_app' | 'webhook' | 'sms' | 'chatone' | 'chattwo' | 'chatthree'>;
  }>;
};

export type SetOwnPreferenceParams = {
  opted_in: boolean;
};

export type UnsubscribeFromAllResult = {
  data: Array<Preference>;
};
