import { type Static, Type } from 'typebox';
import { DateTime, Nullable, PageOf, pageQuery, Search } from '../../http/schema.ts';
import { oneLine } from '../../kernel/patterns.ts';

const text = (maxLength: number, description?: string) =>
  Type.Optional(Nullable(Type.String({ maxLength, ...(description ? { description } : {}) })));

export const UserBody = Type.Object(
  {
    email: text(320),
    phone: text(32, 'In E.164 format.'),
    name: text(200),
    locale: text(35, 'A language tag, for example `it` or `pt-BR`.'),
    timezone: text(64, 'An IANA time zone name.'),
    chatone_user_id: text(64),
  },
  { title: 'UserInput', examples: [{ email: 'ada@example.com', name: 'Ada Lovelace', locale: 'en-GB' }] },
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
