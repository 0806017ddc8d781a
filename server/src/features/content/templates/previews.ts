import type { Channel } from '../../../channels/contract.ts';
import type { Pool } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { namedPartials } from '../../../templating/partials.ts';
import { runCounted } from '../../../threads/effort.ts';
import type { TaskRunner } from '../../../threads/task.ts';
import {
  type CurrentPart,
  excessOf,
  listCurrent,
  type PartReader,
  partialUse,
  pinsFor,
  pseudoLocale,
  type TemplateParts,
  translationsUse,
} from '../parts/index.ts';
import { type BodyFields, canonicalLocale, channelOf, newBody } from './bodies.ts';
import { checkLocale } from './check.ts';
import { type InlineSources, inlineBody, inlineContext } from './inline.ts';
import { sourcesOf, withCompiledMjml } from './input.ts';
import { bodyFor, explain, withDerivedText } from './preview.ts';
import { type BodyContext, RenderFailure } from './render.ts';
import { getTemplate } from './save.ts';
import type { PreviewRequest, PreviewResponse, RenderRequest, RenderResponse } from './schema.ts';
import type { TemplateRow } from './store.ts';
import { draftPreviewTask, templatePreviewTask } from './tasks.ts';
import { layoutFor, requireLayouts, usesOfBodies } from './uses.ts';

/** Renders what a send would contain, without a send. Each throws the Problem that explains a failure. */
export interface TemplatePreviews {
  render(principal: Principal, key: string, request: RenderRequest): Promise<RenderResponse>;
  /** Previews a body that is not saved. */
  preview(principal: Principal, request: PreviewRequest): Promise<PreviewResponse>;
  /** Renders content that is not a template's; what is not given stays null. */
  previewInline(
    environmentId: string,
    channel: Channel,
    sources: InlineSources,
    data: object,
  ): Promise<InlineSources & Pick<PreviewResponse, 'undefined_variables'>>;
}

interface PartSources {
  pool: Pool;
  reader: PartReader;
}

export function createTemplatePreviews(
  { pool, tasks }: Pick<Deps, 'pool' | 'tasks'>,
  reader: PartReader,
): TemplatePreviews {
  const sources = { pool, reader };
  return {
    async render(principal, key, request) {
      const { environmentId } = principal;
      const template = await getTemplate(pool, environmentId, key);
      const body = bodyFor(template.bodies, request);
      const locale = wantedLocale(request);
      const context = await templateContext(sources, principal, template, body, locale).catch(explain);
      const input = { body, context, data: request.data, strict: request.strict };
      const previewed = await runCounted(tasks, templatePreviewTask, environmentId, input).catch(explain);
      return withDerivedText(tasks, environmentId, previewed);
    },

    async preview({ environmentId }, request) {
      const body = await draftBody(tasks, environmentId, request);
      const locale = wantedLocale(request);
      const context = await draftContext(sources, environmentId, body, locale).catch(explain);
      const input = { body, context, data: request.data, strict: request.strict };
      const previewed = await runCounted(tasks, draftPreviewTask, environmentId, input).catch(explain);
      return withDerivedText(tasks, environmentId, previewed);
    },

    async previewInline(environmentId, channel, sources, data) {
      const input = { body: inlineBody(channel, sources), context: inlineContext, data };
      const { subject, html_body, text_body, undefined_variables } = await runCounted(
        tasks,
        draftPreviewTask,
        environmentId,
        input,
      ).catch(explain);
      return {
        subject: sources.subject && subject,
        html_body: sources.html_body && html_body,
        text_body: sources.text_body && text_body,
        undefined_variables,
      };
    },
  };
}

/** The locale of a preview: its own, or that of the data, as for a send. */
function wantedLocale({ locale, data }: Pick<RenderRequest, 'locale' | 'data'>): string | null {
  return locale ?? (typeof data?.locale === 'string' ? data.locale : null);
}

/** The unsaved body of a request, with its MJML compiled. */
async function draftBody(tasks: TaskRunner, owner: string, request: PreviewRequest): Promise<BodyFields> {
  const channel = channelOf(request.channel);
  if (!channel) throw invalidParameter('channel', 'The channel does not exist.');
  const locale = request.locale ? checkLocale(request.locale, 'locale') : null;
  const body = newBody(channel, locale === pseudoLocale ? null : locale, request);
  return withCompiledMjml(tasks, owner, body, 'html_template');
}

/** What a send of the saved template is rendered with. Throws a RenderFailure when a part is missing. */
async function templateContext(
  { pool, reader }: PartSources,
  { environmentId, environmentKind }: Principal,
  { bodies, parts: pins }: TemplateRow,
  body: BodyFields,
  locale: string | null,
): Promise<BodyContext> {
  const parts =
    environmentKind === 'test'
      ? await currentParts(reader, await listCurrent(pool, environmentId), usesOfBodies(bodies))
      : await reader.resolve(pins);
  return contextOf(reader, parts, bodies, body, locale);
}

/** What an unsaved body would be rendered with after a save: the current parts. Throws a RenderFailure when a part is missing. */
async function draftContext(
  { pool, reader }: PartSources,
  environmentId: string,
  body: BodyFields,
  locale: string | null,
): Promise<BodyContext> {
  const partials = sourcesOf(body).flatMap(namedPartials).map(partialUse);
  const uses = [...usesOfBodies([body]), ...partials, translationsUse];
  const current = await listCurrent(pool, environmentId);
  requireLayouts(current, [body]);
  return contextOf(reader, await currentParts(reader, current, uses), [body], body, locale);
}

async function currentParts(
  reader: PartReader,
  current: readonly CurrentPart[],
  uses: string[],
): Promise<TemplateParts> {
  const excess = excessOf(current, uses);
  if (excess) throw new RenderFailure(excess);
  return reader.resolve(pinsFor(current, uses));
}

async function contextOf(
  reader: PartReader,
  parts: TemplateParts,
  bodies: BodyFields[],
  body: BodyFields,
  locale: string | null,
): Promise<BodyContext> {
  const canonical = locale && canonicalLocale(locale);
  const isPseudo = canonical === pseudoLocale;
  const translation = await reader.translation(parts, isPseudo ? null : canonical, body.locale);
  return {
    layout: layoutFor(parts, bodies, body),
    partials: parts.partials,
    translation: isPseudo ? { ...translation, isPseudo } : translation,
  };
}
