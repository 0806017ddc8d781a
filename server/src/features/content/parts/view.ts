import { idTime } from '../../../kernel/ids.ts';
import type { Layout, TemplatePartial, TranslationSummary } from './schema.ts';
import type { LayoutContent, PartContent, PartialContent, PartRow, TranslationContent } from './store.ts';

const madeAt = (id: string): string => new Date(idTime(id)).toISOString();

function commonOf(row: PartRow) {
  return { version: row.version, created_at: madeAt(row.id), updated_at: madeAt(row.current_version_id) };
}

export function layoutContentOf(content: PartContent) {
  const { html_template, text_template } = content as LayoutContent;
  return { html_template, text_template };
}

export function layoutViewOf(row: PartRow): Layout {
  const { id, key, channel, is_default, content } = row;
  return {
    id,
    key,
    channel: channel as Layout['channel'],
    is_default,
    ...layoutContentOf(content),
    ...commonOf(row),
  };
}

export function partialViewOf(row: PartRow): TemplatePartial {
  const { id, key, content } = row;
  return { id, key, template: (content as PartialContent).template, ...commonOf(row) };
}

export function translationViewOf(row: PartRow, missing: Map<string, number>): TranslationSummary {
  const { id, key, is_default, keys } = row;
  return {
    id,
    locale: key,
    is_default,
    message_count: keys.length,
    missing_count: missing.get(key) ?? 0,
    ...commonOf(row),
  };
}

export const messagesOf = (content: PartContent): Record<string, unknown> =>
  (content as TranslationContent).messages;

/** The audit log records which part changed, not its content. */
export function auditViewOf({ key, version, is_default, channel }: PartRow): object {
  return { key, version, is_default, ...(channel ? { channel } : {}) };
}

export const versionViewOf = ({ id, version }: { id: string; version: number }) => ({
  version,
  created_at: madeAt(id),
});
