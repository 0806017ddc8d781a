import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { namedPartials } from '../../../templating/partials.ts';
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
import { sourcesOf, withCompiledMjml } from './input.ts';
import { type BodyContext, RenderFailure } from './render.ts';
import type { PreviewRequest, RenderRequest } from './schema.ts';
import type { TemplateRow } from './store.ts';
import { layoutFor, requireLayouts, usesOfBodies } from './uses.ts';

/** The locale of a preview: its own, or that of the data, as for a send. */
export function wantedLocale({ locale, data }: Pick<RenderRequest, 'locale' | 'data'>): string | null {
  return locale ?? (typeof data?.locale === 'string' ? data.locale : null);
}

/** The unsaved body of a request, with its MJML compiled. */
export async function draftOf(tasks: TaskRunner, owner: string, request: PreviewRequest) {
  const channel = channelOf(request.channel);
  if (!channel) throw invalidParameter('channel', 'The channel does not exist.');
  const locale = request.locale ? checkLocale(request.locale, 'locale') : null;
  const isPseudo = locale === pseudoLocale;
  const given = newBody(channel, isPseudo ? null : locale, request);
  const body = await withCompiledMjml(tasks, owner, given, 'html_template');
  return { body, data: request.data, strict: request.strict };
}

/** Both reject with a RenderFailure when a body cannot be rendered with the parts that there are. */
interface PreviewContexts {
  /** What a send of the saved template would be rendered with. */
  forTemplate(
    principal: Principal,
    template: TemplateRow,
    body: BodyFields,
    locale: string | null,
  ): Promise<BodyContext>;
  /** What an unsaved body would be rendered with after a save: the current parts. */
  forDraft(environmentId: string, body: BodyFields, locale: string | null): Promise<BodyContext>;
}

export function createPreviewContexts({ pool }: Pick<Deps, 'pool'>, reader: PartReader): PreviewContexts {
  async function resolved(current: readonly CurrentPart[], uses: string[]): Promise<TemplateParts> {
    const excess = excessOf(current, uses);
    if (excess) throw new RenderFailure(excess);
    return reader.resolve(pinsFor(current, uses));
  }

  async function contextOf(
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

  return {
    async forTemplate({ environmentId, environmentKind }, { bodies, parts: pins }, body, locale) {
      const parts =
        environmentKind === 'test'
          ? await resolved(await listCurrent(pool, environmentId), usesOfBodies(bodies))
          : await reader.resolve(pins);
      return contextOf(parts, bodies, body, locale);
    },
    async forDraft(environmentId, body, locale) {
      const partials = sourcesOf(body).flatMap(namedPartials).map(partialUse);
      const uses = [...usesOfBodies([body]), ...partials, translationsUse];
      const current = await listCurrent(pool, environmentId);
      requireLayouts(current, [body]);
      return contextOf(await resolved(current, uses), [body], body, locale);
    },
  };
}
