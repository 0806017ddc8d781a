import type { Sql } from '../../../db/sql.ts';
import { notFound } from '../../../kernel/errors.ts';
import { isUuid, newId } from '../../../kernel/ids.ts';
import { bodyChannels } from './bodies.ts';
import { sizeOf } from './input.ts';
import type { TemplateContent, TemplateRow } from './store.ts';
import * as store from './store.ts';
import { translationKeysOf, usesOfBodies } from './uses.ts';

/** Returns null when the environment already has a template with this key. */
export async function insertTemplate(
  tx: Sql,
  location: { environmentId: string; key: string },
  content: TemplateContent,
  now: number,
): Promise<TemplateRow | null> {
  const template: TemplateRow = {
    id: newId(now),
    environment_id: location.environmentId,
    key: location.key,
    current_version_id: newId(now),
    version: 1,
    ...content,
  };
  if (!(await store.insertTemplate(tx, template))) return null;
  await insertVersion(tx, template);
  return template;
}

/** Every save creates a new version; earlier versions stay unchanged. The caller holds the lock. */
export async function saveTemplate(
  tx: Sql,
  template: TemplateRow,
  content: TemplateContent,
  now: number,
): Promise<TemplateRow> {
  const { name, bodies, push, parts } = content;
  const next = {
    ...template,
    name,
    bodies,
    parts,
    push,
    version: template.version + 1,
    current_version_id: newId(now),
  };
  await insertVersion(tx, next);
  await store.updateCurrentVersion(tx, next.id, next.current_version_id);
  return next;
}

function insertVersion(tx: Sql, template: TemplateRow): Promise<void> {
  const { environment_id, version, name, bodies, push, parts } = template;
  return store.insertVersion(tx, {
    id: template.current_version_id,
    environment_id,
    template_id: template.id,
    version,
    name,
    channels: bodyChannels(bodies),
    bodies,
    size: sizeOf(bodies),
    uses: usesOfBodies(bodies),
    translation_keys: translationKeysOf(bodies),
    parts,
    push,
  });
}

export async function getTemplate(sql: Sql, environmentId: string, key: string): Promise<TemplateRow> {
  const found = await store.findTemplate(sql, environmentId, key, isUuid(key) ? key : null);
  if (!found) throw notFound('template');
  return found;
}

export async function getTemplateForUpdate(
  tx: Sql,
  environmentId: string,
  key: string,
): Promise<TemplateRow> {
  const locked = await lockTemplate(tx, await getTemplate(tx, environmentId, key));
  if (!locked) throw notFound('template');
  return locked;
}

/**
 * Locks the template against other saves until the transaction ends. Returns null when it was deleted while this call waited.
 */
export async function lockTemplate(
  tx: Sql,
  { environment_id, id }: TemplateRow,
): Promise<TemplateRow | null> {
  await store.lockTemplate(tx, id);
  return store.findTemplateById(tx, environment_id, id);
}
