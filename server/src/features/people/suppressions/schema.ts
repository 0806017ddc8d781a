import { type Static, Type } from 'typebox';
import { DateTime, Nullable, OneOf, pageQuery, Search, Uuid } from '../../../http/schema.ts';

const suppressionReasons = ['hard_bounce', 'complaint', 'manual_add', 'unsubscribed'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

const suppressionSources = ['provider', 'manual', 'recipient'] as const;
export type SuppressionSource = (typeof suppressionSources)[number];

const Address = Type.String({
  minLength: 1,
  maxLength: 320,
  description: 'An email address or a phone number in E.164 format.',
});

export const AddBody = Type.Object(
  {
    address: Address,
    reason: Type.Optional(
      OneOf(suppressionReasons, { description: 'Defaults to manual_add; the other values are for imports.' }),
    ),
  },
  { title: 'SuppressionInput', examples: [{ address: 'ada@example.com' }] },
);

export const SuppressionQuery = Type.Object({
  ...pageQuery,
  address: Type.Optional(Address),
  search: Search('The beginning of the address.'),
  reason: Type.Optional(OneOf(suppressionReasons)),
});

export const RemovalQuery = Type.Object({
  note: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'The reason, for the audit log.' }),
  ),
});

export const AddressParams = Type.Object({ address: Type.String({ minLength: 1, maxLength: 320 }) });

export const Suppression = Type.Object(
  {
    id: Uuid,
    address: Type.String({
      description: 'Normalized: lower case, an internationalised domain in ASCII, numbers in E.164 format.',
    }),
    reason: OneOf(suppressionReasons),
    source: OneOf(suppressionSources),
    diagnostic_detail: Nullable(Type.String({ description: 'The message of the provider.' })),
    triggering_notification_id: Nullable(Uuid),
    suppressed_at: DateTime,
  },
  { title: 'Suppression' },
);
export type Suppression = Static<typeof Suppression>;

export const SuppressionPage = Type.Object({
  data: Type.Array(Suppression),
  has_more: Type.Boolean(),
  next_cursor: Nullable(Type.String()),
});
