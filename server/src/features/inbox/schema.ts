import { type Static, Type } from 'typebox';
import { recipientScopes } from '../../http/principal.ts';
import { DateTime, JsonObject, Nullable, OneOf, pageQuery, Uuid } from '../../http/schema.ts';
import { pattern } from '../../kernel/patterns.ts';
import { tokenLimits, userIdLimit } from './token.ts';

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
  },
  { title: 'InboxItem' },
);
export type Item = Static<typeof Item>;

const feedStatuses = ['all', 'read', 'unread'] as const;
export type FeedStatus = (typeof feedStatuses)[number];

export const FeedQuery = Type.Object({ ...pageQuery, status: Type.Optional(OneOf(feedStatuses)) });
export type FeedQuery = Static<typeof FeedQuery>;

export const Feed = Type.Object({
  data: Type.Array(Item),
  next_cursor: Nullable(Type.String()),
  unread_count: Type.Integer(),
});

export const UnreadCount = Type.Object({ unread_count: Type.Integer() });

export const MarkAllRead = Type.Object({
  before: Type.Optional(
    Nullable(
      Type.String({ format: 'date-time', description: 'Only items that arrived earlier; defaults to all.' }),
    ),
  ),
});
export const MarkedRead = Type.Object({ marked_count: Type.Integer(), unread_count: Type.Integer() });

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

export const RotateKey = Type.Object({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: tokenLimits.overlapSeconds,
      default: tokenLimits.overlapSeconds,
      description: 'How long earlier keys keep verifying tokens. Use 0 if they are compromised.',
    }),
  ),
});
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
