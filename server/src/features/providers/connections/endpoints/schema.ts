import { type Static, type TSchema, Type } from 'typebox';
import { maxUrlLength } from '../../../../channels/net.ts';
import { DateTime, Nullable, OneOf, pageQuery, sameAs, Uuid } from '../../../../http/schema.ts';
import { isUuid } from '../../../../kernel/ids.ts';
import { pattern } from '../../../../kernel/patterns.ts';
import { connectionStatuses } from '../../provider-health/index.ts';

const keyPattern = pattern(
  '^[a-z0-9][a-z0-9_-]{0,99}$',
  '1 to 100 of a–z, 0–9, “_” and “-”, the first a letter or a digit',
);

/** Fields that the endpoints of both channels have. */
export const Label = Type.String({ minLength: 1, maxLength: 200, description: 'Shown in the dashboard.' });

export const WebhookUrl = Type.String({
  format: 'uri',
  minLength: 1,
  maxLength: maxUrlLength,
  description: 'The URL allows anyone to post, so it is never shown again.',
});

export const Key = Type.Optional(
  Nullable(
    Type.String({
      pattern: keyPattern,
      description:
        'The key for `recipient.endpoint` in sends. Derived from the label by default; it never changes.',
    }),
  ),
);

export const health = {
  status: OneOf(connectionStatuses, {
    description:
      '`broken`: the last call was rejected as a whole; sends are retried. `gone`: not called until it gets new credentials.',
  }),
  last_success_at: Nullable(DateTime),
  last_failure_at: Nullable(DateTime),
  last_failure_reason: Nullable(Type.String()),
};

export const endpointFields = {
  id: Uuid,
  key: Type.String(),
  label: Type.String(),
  webhook_url_prefix: Type.String({ description: 'The first 30 characters, to identify the URL.' }),
};

export const EndpointQuery = Type.Object({ ...pageQuery, page_token: sameAs('cursor') });
export type EndpointQuery = Static<typeof EndpointQuery>;

export const EndpointListOf = (endpoint: TSchema) =>
  Type.Object({
    data: Type.Array(endpoint),
    next_cursor: Type.Optional(
      Nullable(Type.String({ description: 'Only in the answer to a request with a limit or a cursor.' })),
    ),
  });

export const TestSent = Type.Object({ notification_id: Uuid }, { title: 'TestSent' });

const maxSlug = 60;

/** A label as a key: `Ops & Alerts` becomes `ops-alerts`. A label without usable letters becomes `otherwise`. */
export function slugOf(label: string, otherwise: string): string {
  const slug = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlug)
    .replace(/^-+|-+$/g, '');
  return slug === '' || isUuid(slug) ? otherwise : slug;
}

/** Returns the slug when it is free, else the slug with `-2`, `-3` … */
export function freeKey(slug: string, taken: ReadonlySet<string>): string {
  let key = slug;
  for (let number = 2; taken.has(key); number += 1) key = `${slug}-${number}`;
  return key;
}
