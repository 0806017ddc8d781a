import { type Static, Type } from 'typebox';
import { DateTime, Nullable, OneOf, Uuid } from './schema.ts';

/** An incident as the public status shows it. */
export const Incident = Type.Object(
  {
    id: Uuid,
    title: Type.String(),
    status: OneOf(['active', 'resolved'] as const),
    source: OneOf(['provider', 'operator'] as const, {
      description: 'provider: opened and resolved by a provider outage. operator: opened manually.',
    }),
    started_at: DateTime,
    resolved_at: Nullable(DateTime),
    updates: Type.Array(Type.Object({ message: Type.String(), created_at: DateTime }), {
      description: 'Newest first.',
    }),
  },
  { title: 'Incident' },
);
export type Incident = Static<typeof Incident>;

export interface PublicIncidents {
  active: Incident[];
  recent: Incident[];
}
