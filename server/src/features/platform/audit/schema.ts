import { Type } from 'typebox';
import { DateTime, JsonObject, Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../../http/schema.ts';
import { oneLine } from '../../../kernel/patterns.ts';

// Control characters are kept out because PostgreSQL refuses NUL in text.
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: oneLine });

export const AuditQuery = Type.Object({
  ...pageQuery,
  action: Type.Optional(Name),
  target: Type.Optional(Name),
  actor_id: Type.Optional(Uuid),
  created_after: Type.Optional(Type.String({ format: 'date-time', description: 'At or after this time.' })),
  created_before: Type.Optional(Type.String({ format: 'date-time', description: 'Before this time.' })),
});

export const AuditEntryView = Type.Object({
  id: Uuid,
  actor: Type.Object({ kind: OneOf(['key', 'user', 'system']), id: Nullable(Uuid) }),
  action: Type.String({ description: 'For example `api_key.created`.' }),
  target: Type.String({ description: 'For example `api_key:` and the id.' }),
  before: Nullable(JsonObject),
  after: Nullable(JsonObject),
  request_id: Nullable(Type.String()),
  ip_address: Nullable(
    Type.String({ description: 'Set for sign-ins and for changes to members and API keys; otherwise null.' }),
  ),
  user_agent: Nullable(Type.String({ description: 'Set for the same entries; the first 300 characters.' })),
  environment_id: Nullable(Uuid),
  created_at: DateTime,
});

export const AuditPage = PageOf(AuditEntryView);
