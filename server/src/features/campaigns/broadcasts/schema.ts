import { type Static, Type } from 'typebox';
import { DateTime, JsonObject, Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../../http/schema.ts';
import { oneLine, pattern } from '../../../kernel/patterns.ts';
import { InboxAction } from '../../inbox/index.ts';
import { SendRequest } from '../../notifications/notifications/index.ts';
import { Audience } from '../../people/audiences/index.ts';

/** Channels that reach a user by what is stored with the user. */
const broadcastChannels = ['email', 'sms', 'in_app', 'chatone'] as const;
export type BroadcastChannel = (typeof broadcastChannels)[number];

const statuses = ['scheduled', 'preparing', 'running', 'paused', 'done', 'cancelled'] as const;
export type BroadcastStatus = (typeof statuses)[number];

export const broadcastLimits = {
  name: 200,
  open: 100,
  rate: 5_000,
  localDays: 90,
  bodyBytes: 8 * 1_048_576,
} as const;

const {
  subject,
  html_body,
  text_body,
  action_url,
  tags,
  actions,
  template_key,
  category,
  from_name,
  reply_to,
} = SendRequest.properties;

export const BroadcastDefinition = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: broadcastLimits.name, pattern: oneLine }),
    channels: Type.Array(OneOf(broadcastChannels), {
      minItems: 1,
      maxItems: broadcastChannels.length,
      uniqueItems: true,
      description:
        'In the order of preference. Each user gets one notification: on the first channel with an address that is not suppressed and that the user has not opted out of.',
    }),
    audience: Audience,
    template_key,
    subject,
    html_body,
    text_body,
    template_data: Type.Optional(
      Nullable({
        ...JsonObject,
        description:
          'The same for all recipients. The message, a template or inline, also gets `user`: external_user_id, name, locale, timezone and attributes.',
      }),
    ),
    action_url,
    tags,
    actions,
    category,
    from_name,
    reply_to,
    send_at: Type.Optional(Nullable(DateTime)),
    send_at_local: Type.Optional(
      Nullable(
        Type.String({
          pattern: pattern(
            '^\\d{4}-\\d{2}-\\d{2}T([01]\\d|2[0-3]):[0-5]\\d$',
            'a local date and time without an offset, such as 2026-03-29T09:00',
          ),
          description:
            'Send to each user at this time of the user’s own time zone, instead of `send_at`. Where it has passed, send at once.',
        }),
      ),
    ),
    timezone: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 64,
          description: 'The time zone of users without one, for `send_at_local`. UTC by default.',
        }),
      ),
    ),
    rate_per_second: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: broadcastLimits.rate,
          description: 'At most so many notifications a second.',
        }),
      ),
    ),
  },
  {
    title: 'BroadcastInput',
    examples: [
      {
        name: 'Release 4.2',
        channels: ['email', 'in_app'],
        audience: { topic: 'release_notes' },
        template_key: 'release',
      },
    ],
  },
);
export type BroadcastDefinition = Static<typeof BroadcastDefinition>;

const Counts = Type.Unsafe<Record<string, number>>({
  type: 'object',
  description: 'Notifications by status; `deleted` ones were erased with their user before they were sent.',
  additionalProperties: { type: 'integer' },
});

const BroadcastProgress = Type.Object(
  {
    status: OneOf(statuses),
    total: Type.Integer({ description: 'Users of the audience. Known when `preparing` ends.' }),
    done: Type.Integer({ description: 'Users whose notification is no longer queued, or who were skipped.' }),
    skipped: Type.Integer({
      description:
        'Users without an address on any of the channels, or for whom the time of the schedule has passed.',
    }),
    counts: Counts,
    started_at: Nullable(DateTime),
    estimated_end_at: Nullable(DateTime),
    completed_at: Nullable(DateTime),
  },
  { title: 'BroadcastProgress' },
);
export type BroadcastProgress = Static<typeof BroadcastProgress>;

export const Broadcast = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    status: OneOf(statuses),
    pause_reason: Nullable(
      Type.String({ description: 'Why the service paused the broadcast; null when a person did.' }),
    ),
    channels: Type.Array(OneOf(broadcastChannels)),
    audience: Audience,
    template_key: Nullable(Type.String()),
    category: Nullable(Type.String()),
    send_at: Nullable(DateTime),
    send_at_local: Nullable(Type.String()),
    timezone: Type.String(),
    rate_per_second: Nullable(Type.Integer()),
    created_at: DateTime,
    progress: BroadcastProgress,
  },
  { title: 'Broadcast' },
);
export type Broadcast = Static<typeof Broadcast>;

export const BroadcastPage = PageOf(Broadcast);
export const BroadcastQuery = Type.Object({ ...pageQuery, status: Type.Optional(OneOf(statuses)) });
export type BroadcastQuery = Static<typeof BroadcastQuery>;

const Tally = (description: string) =>
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    description,
    additionalProperties: { type: 'integer' },
  });

export const BroadcastDryRun = Type.Object(
  {
    count: Type.Integer({ description: 'Users of the audience.' }),
    is_capped: Type.Boolean({ description: 'Counting took too long: there are at least `count` users.' }),
    is_everybody: Type.Boolean({
      description: 'Every user is in the audience. By `all` or a filter, it needs `confirm`.',
    }),
    checked: Type.Integer({
      description:
        'Users that were checked: the whole audience, an even sample of a large one, or those found within ten seconds.',
    }),
    would_send: Type.Integer({ description: 'Users who would be sent to, some of them later.' }),
    channels: Tally('Users by the channel that they would be reached on.'),
    skipped: Type.Integer({ description: 'Users without an address on any of the channels.' }),
    suppressed: Tally('Users who would not be sent to, by reason.'),
    delayed: Tally(
      'Users who would be sent to later, by gate: `quiet_hours`, or `brake` for a rule that delays until its window has room.',
    ),
    held: Tally(
      'Users whose notification the brake would hold until a person releases it, by rule, or by freeze such as `freeze:sms`. Limits that are shared are counted as if all were sent at once.',
    ),
    samples: Type.Array(
      Type.Object(
        {
          external_user_id: Type.String(),
          channel: OneOf(broadcastChannels),
          address: Type.String(),
          send_at: Nullable(DateTime),
          subject: Nullable(Type.String()),
          html_body: Nullable(Type.String()),
          text_body: Nullable(Type.String()),
          undefined_variables: Type.Array(Type.String(), {
            description:
              'Variables that the message uses and that this user lacks: each resolved to nothing.',
          }),
          error: Nullable(Type.String({ description: 'Why the message cannot be rendered for this user.' })),
          tags: Type.Optional(Type.Array(Type.String())),
          actions: Type.Optional(Type.Array(InboxAction)),
        },
        { title: 'BroadcastSample' },
      ),
    ),
  },
  { title: 'BroadcastDryRun' },
);
export type BroadcastDryRun = Static<typeof BroadcastDryRun>;
