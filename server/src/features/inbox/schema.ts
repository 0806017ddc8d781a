import { type Static, Type } from 'typebox';
import { actionKey, actionStyles, extrasLimits } from '../../channels/in-app/extras.ts';
import { recipientScopes } from '../../http/principal.ts';
import { DateTime, JsonObject, Nullable, OneOf, pageQuery, Uuid } from '../../http/schema.ts';
import { oneLine, pattern } from '../../kernel/patterns.ts';
import { tokenLimits, userIdLimit } from './token.ts';

const { tags, tag, actions, key, label, url } = extrasLimits;

const InboxTag = Type.String({ minLength: 1, maxLength: tag, pattern: oneLine });
const actionFields = {
  key: Type.String({ pattern: pattern(actionKey, `1 to ${key} of a–z, 0–9, “_” and “-”`) }),
  label: Type.String({ minLength: 1, maxLength: label, pattern: oneLine }),
};
const ActionInput = Type.Object(
  {
    ...actionFields,
    url: Type.Optional(
      Nullable(
        Type.String({
          maxLength: url,
          description: 'Where the button leads: an http or https URL, or a relative one.',
        }),
      ),
    ),
    style: Type.Optional(Nullable(OneOf(actionStyles, { default: 'default' }))),
  },
  { title: 'InboxActionInput' },
);

/** The fields of a send that only an inbox has. */
export const extrasInput = {
  tags: Type.Optional(
    Nullable(
      Type.Array(InboxTag, {
        maxItems: tags,
        description: 'For in_app: what the item is about. An inbox can show the items with a tag in a tab.',
      }),
    ),
  ),
  actions: Type.Optional(
    Nullable(
      Type.Array(ActionInput, {
        maxItems: actions,
        description:
          'For in_app: the buttons of the item. The first one that the recipient chooses is recorded, and sent to webhook endpoints as `inbox.action`.',
      }),
    ),
  ),
};

export const InboxAction = Type.Object(
  { ...actionFields, url: Nullable(Type.String()), style: OneOf(actionStyles) },
  { title: 'InboxAction' },
);
const ActionTaken = Type.Object({ key: Type.String(), at: DateTime }, { title: 'InboxActionTaken' });

export const Item = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The id of the notification.' }),
    subject: Nullable(Type.String()),
    html_body: Nullable(
      Type.String({ description: 'Sanitised: safe to insert into a page. Null if there is only text.' }),
    ),
    text_body: Nullable(Type.String()),
    action_url: Nullable(Type.String({ description: 'An http or https URL, or relative to the page.' })),
    is_read: Type.Boolean(),
    created_at: Type.String({ format: 'date-time', description: 'When the item arrived in the inbox.' }),
    read_at: Nullable(DateTime),
    data: Type.Unsafe<Record<string, unknown>>({
      ...JsonObject,
      description: 'The template_data of the notification.',
    }),
    category: Nullable(Type.String({ description: 'The key of the category of the notification.' })),
    tags: Type.Array(Type.String()),
    actions: Type.Array(InboxAction, { description: 'The buttons of the item, at most two.' }),
    action_taken: Type.Unsafe<Static<typeof ActionTaken> | null>({
      ...Nullable(ActionTaken),
      description: 'The action that the recipient chose; the first one stays.',
    }),
    snoozed_until: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When the item returns; until then it is hidden, and counts as read.',
      }),
    ),
  },
  { title: 'InboxItem' },
);
export type Item = Static<typeof Item>;

const feedStatuses = ['all', 'read', 'unread', 'snoozed'] as const;
export type FeedStatus = (typeof feedStatuses)[number];

const tabFilter = {
  category: Type.Optional(
    Nullable(Type.String({ maxLength: 255, description: 'Only items of the category with this key.' })),
  ),
  tag: Type.Optional(Nullable(Type.String({ maxLength: tag, description: 'Only items with this tag.' }))),
};
/** The items of a tab; with both fields, those that fit both. */
export interface TabFilter {
  category?: string | null | undefined;
  tag?: string | null | undefined;
}

export const FeedQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(
    OneOf(feedStatuses, { description: 'Snoozed items are only in the list of `snoozed`.' }),
  ),
  category: Type.Optional(Type.String({ maxLength: 255, description: 'Only items of this category.' })),
  tag: Type.Optional(Type.String({ maxLength: tag, description: 'Only items with this tag.' })),
});
export type FeedQuery = Static<typeof FeedQuery>;

export const Feed = Type.Object({
  data: Type.Array(Item),
  next_cursor: Nullable(Type.String()),
  unread_count: Type.Integer(),
});

export const UnreadCount = Type.Object({ unread_count: Type.Integer() });

const tabCounts = {
  description: 'Without those that have no unread items; at most 200, the largest first.',
};
export const UnreadCounts = Type.Object(
  {
    unread_count: Type.Integer(),
    categories: Type.Array(Type.Object({ category: Type.String(), unread_count: Type.Integer() }), tabCounts),
    tags: Type.Array(Type.Object({ tag: Type.String(), unread_count: Type.Integer() }), tabCounts),
    is_exact: Type.Boolean({
      description:
        'False when more items are unread than were counted by category and tag: the newest 1,000.',
    }),
  },
  { title: 'InboxUnreadCounts' },
);
export type UnreadCounts = Static<typeof UnreadCounts>;

const bulkIds = 500;
const bulkFilter = {
  before: Type.Optional(
    Nullable(
      Type.String({ format: 'date-time', description: 'Only items that arrived earlier; defaults to all.' }),
    ),
  ),
  ids: Type.Optional(Nullable(Type.Array(Uuid, { maxItems: bulkIds, description: 'Only these items.' }))),
  ...tabFilter,
};
export const MarkAllRead = Type.Object(bulkFilter, { examples: [{ category: 'product_news' }] });
export const MarkedRead = Type.Object({ marked_count: Type.Integer(), unread_count: Type.Integer() });

const archiveStatuses = ['all', 'read'] as const;
export const ArchiveAll = Type.Object(
  {
    ...bulkFilter,
    status: Type.Optional(
      Nullable(OneOf(archiveStatuses, { default: 'all', description: '`read`: unread items stay.' })),
    ),
  },
  { examples: [{ status: 'read' }] },
);
export type BulkRequest = Static<typeof ArchiveAll>;
export const ArchivedAll = Type.Object({ archived_count: Type.Integer(), unread_count: Type.Integer() });

export const snoozeDays = 365;
export const Snooze = Type.Object(
  {
    until: Type.String({
      format: 'date-time',
      description: `When the item returns: in the future, at most ${snoozeDays} days ahead.`,
    }),
  },
  { examples: [{ until: '2030-01-01T09:00:00Z' }] },
);

export const ActionParams = Type.Object({
  id: Uuid,
  key: Type.String({ maxLength: key, description: 'The key of the action.' }),
});

export const NewToken = Type.Object(
  {
    external_user_id: Type.String({
      minLength: 1,
      maxLength: userIdLimit,
      pattern: pattern(
        '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
        'one line of text, without control characters',
      ),
    }),
    scope: Type.Optional(
      OneOf(['inbox', 'prefs', 'inbox prefs'], {
        description: 'The scope of the token; defaults to both.',
      }),
    ),
    ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: tokenLimits.minSeconds,
        maximum: tokenLimits.maxSeconds,
        default: tokenLimits.defaultSeconds,
      }),
    ),
  },
  {
    title: 'InboxTokenRequest',
    examples: [{ external_user_id: 'user-1815', scope: 'inbox', ttl_seconds: 900 }],
  },
);
export const IssuedToken = Type.Object({ token: Type.String(), expires_at: DateTime });

export const VerifiedToken = Type.Object({
  external_user_id: Type.String(),
  organization_id: Uuid,
  environment_id: Uuid,
  scopes: Type.Array(OneOf(recipientScopes)),
  expires_at: DateTime,
});

export const RotateKey = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: tokenLimits.overlapSeconds,
        default: tokenLimits.overlapSeconds,
        description: 'How long earlier keys keep verifying tokens. Use 0 if they are compromised.',
      }),
    ),
  },
  { examples: [{ overlap_seconds: 86_400 }] },
);
export const RotatedKey = Type.Object({
  signing_key: Type.String({ description: 'Shown only once.' }),
  previous_valid_until: DateTime,
});

export const StreamQuery = Type.Object({
  ticket: Type.Optional(
    Type.String({ maxLength: 100, description: 'Instead of the Authorization header; works once.' }),
  ),
  last_event_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The id to resume from, for clients that cannot send Last-Event-ID.',
    }),
  ),
});
export const StreamTicket = Type.Object({ ticket: Type.String(), expires_in: Type.Integer() });
