import {
  type CompiledVersion,
  type RenderedContent,
  RenderFailure,
  type TemplateRenderer,
} from '../../../content/templates/index.ts';
import type { StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import type { DispatchFact } from '../store.ts';

export interface PinnedTemplateFact extends DispatchFact {
  /** The template still to be rendered; null when the content is already there. */
  template: CompiledVersion | null;
}

const isUnrendered = (fact: DispatchFact): boolean =>
  fact.rendered_at === null && (fact.template_version_id !== null || fact.inline_format === 'liquid');

/** Finds the template versions that these notifications are pinned to, with one query at most. */
export async function findTemplates(
  renderer: TemplateRenderer,
  facts: DispatchFact[],
): Promise<(fact: DispatchFact) => CompiledVersion | null> {
  const ids = facts.filter(isUnrendered).flatMap((fact) => fact.template_version_id ?? []);
  const versions = await renderer.listVersions(ids);
  return (fact) => (isUnrendered(fact) && versions.get(fact.template_version_id ?? '')) || null;
}

/** Renders once per notification: the result is stored with the outcome of the round. */
export async function renderContent(
  renderer: TemplateRenderer,
  fact: PinnedTemplateFact,
): Promise<RenderedContent | RenderFailure | null> {
  if (!isUnrendered(fact)) return null;
  if (fact.template_version_id === null) return renderInline(renderer, fact, false);
  const { template, channel, template_data: data, template_locale } = fact;
  if (!template) return new RenderFailure('its template version no longer exists');
  const locale = typeof data.locale === 'string' ? data.locale : template_locale;
  const content = await renderer.render(template, { owner: fact.environment_id, channel, locale, data });
  if (fact.inline_format === null || content instanceof RenderFailure) return content;
  // The subject of the request replaces that of the template.
  if (fact.inline_format === 'literal') return { ...content, subject: fact.subject };
  const own = await renderInline(renderer, fact, true);
  return own instanceof RenderFailure ? own : { ...content, subject: own.subject };
}

function renderInline(
  renderer: TemplateRenderer,
  { environment_id: owner, channel, template_data: data, subject, html_body, text_body }: DispatchFact,
  isPart: boolean,
): Promise<RenderedContent | RenderFailure> {
  return renderer.renderInline({ subject, html_body, text_body }, { owner, channel, data, isPart });
}

/** Rendering counts as the last gate. */
export function traceRendering(
  trace: StoredTraceEntry[],
  now: number,
  content: RenderedContent | RenderFailure | null,
): StoredTraceEntry[] {
  if (!content) return trace;
  const at = new Date(now).toISOString();
  if (content instanceof RenderFailure)
    return [...trace, { at, kind: 'gate', name: 'render', verdict: 'fail', detail: content.message }];
  return trace.map((entry) =>
    entry.kind === 'passed' ? { ...entry, gates: [...entry.gates, 'render'] } : entry,
  );
}
