import { idTime } from '../../../kernel/ids.ts';
import { type BodyFields, bodyChannels, flatOf, kebab } from './bodies.ts';
import type { Template, TemplateBody } from './schema.ts';
import type { TemplateRow } from './store.ts';

export const madeAt = (id: string): string => new Date(idTime(id)).toISOString();

export function viewOf(row: TemplateRow): Template {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    version: row.version,
    ...flatOf(row.bodies),
    created_at: madeAt(row.id),
    updated_at: madeAt(row.current_version_id),
    bodies: row.bodies.map(bodyViewOf),
    body_channels: bodyChannels(row.bodies).map(kebab),
    push: row.push,
  };
}

export function bodyViewOf({ derived: _derived, layout, ...body }: BodyFields): TemplateBody {
  return { ...body, layout: layout ?? null };
}

/** The audit log records which template changed, not its content. */
export function auditViewOf(row: TemplateRow): object {
  const { key, name, version, bodies } = row;
  return { key, name, version, body_channels: bodyChannels(bodies).map(kebab) };
}
