import type { EnvironmentRow } from './tenants-store.ts';

export function environmentView(row: EnvironmentRow) {
  return { id: row.id, name: row.name, kind: row.kind, created_at: row.created_at.toISOString() };
}
