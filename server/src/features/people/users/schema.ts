import { type Static, Type } from 'typebox';
import { DateTime, JsonObject, Nullable, PageOf, pageQuery, Search } from '../../../http/schema.ts';
import { oneLine } from '../../../kernel/patterns.ts';

const text = (maxLength: number, description?: string) =>
  Type.Optional(Nullable(Type.String({ maxLength, ...(description ? { description } : {}) })));

export const attributeLimits = { keys: 20, text: 500, bytes: 2_048 } as const;

export type AttributeValue = string | number | boolean;
export type Attributes = Record<string, AttributeValue>;

const Attributes = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: `Facts about the user, for filters of broadcasts and for templates (\`user.attributes\`): at most ${attributeLimits.keys} texts, numbers and booleans, together ${attributeLimits.bytes} bytes as JSON.`,
});

export const UserBody = Type.Object(
  {
    email: text(320),
    phone: text(32, 'In E.164 format.'),
    name: text(200),
    locale: text(35, 'A language tag, for example `it` or `pt-BR`.'),
    timezone: text(64, 'An IANA time zone name.'),
    chatone_user_id: text(64),
    attributes: Type.Optional(Nullable(Attributes)),
  },
  {
    title: 'UserInput',
    examples: [
      { email: 'ada@example.com', name: 'Ada Lovelace', locale: 'en-GB', attributes: { plan: 'pro' } },
    ],
  },
);
export type UserBody = Static<typeof UserBody>;

export const UserView = Type.Object(
  {
    external_user_id: Type.String(),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String()),
    name: Nullable(Type.String()),
    locale: Nullable(Type.String()),
    timezone: Nullable(Type.String()),
    chatone_user_id: Nullable(Type.String()),
    attributes: JsonObject,
    created_at: DateTime,
    updated_at: DateTime,
  },
  { title: 'User' },
);
export type UserView = Static<typeof UserView>;

export const UserPage = PageOf(UserView);

export const UserQuery = Type.Object({
  ...pageQuery,
  cursor: Type.Optional(Type.String({ maxLength: 2000 })), // it contains an external_user_id
  search: Search('The beginning of the `external_user_id` or the email, case-insensitive.'),
});
export type UserQuery = Static<typeof UserQuery>;

export const ExternalUserId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: oneLine,
});

export const UserParams = Type.Object({ externalUserId: ExternalUserId });
