import type { Channel } from '../../../channels/contract.ts';
import { isHtmlDocument } from '../../../channels/email/mjml.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Principal } from '../../../http/principal.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import {
  type CurrentPart,
  defaultLayoutUse,
  type LayoutSources,
  layoutUse,
  listCurrent,
  partIndex,
  partialUse,
  pinsFor,
  problemOf,
  type TemplateParts,
  translationsUse,
} from '../parts/index.ts';
import { type BodyFields, findBody } from './bodies.ts';
import { RenderFailure } from './render.ts';
import type { TemplateContent } from './store.ts';

/** The name of no layout, for a body that must stay as it is. */
export const noLayout = 'none';

/** Whole HTML documents are complete: a layout around one would be a document within a document. */
export const isDocument = ({ html_template: html }: BodyFields): boolean => isHtmlDocument(html);

const hasLayouts = (channel: Channel): boolean =>
  templateRules[channel].fields.some((field) => field === 'html_template' || field === 'text_template');

/** Returns the key of a layout, `default` for the one of the channel, or null for none. A locale takes that of its channel. */
function layoutChoice(bodies: BodyFields[], body: BodyFields): { key: string } | 'default' | null {
  if (!hasLayouts(body.channel) || isDocument(body)) return null;
  const named = body.layout ?? findBody(bodies, body.channel, null)?.layout;
  if (named === noLayout) return null;
  return named === undefined ? 'default' : { key: named };
}

/** Throws a RenderFailure when the layout that the body names does not exist. */
export function layoutFor(
  { layouts, default_layouts: defaults }: TemplateParts,
  bodies: BodyFields[],
  body: BodyFields,
): LayoutSources | null {
  const choice = layoutChoice(bodies, body);
  if (choice === null) return null;
  const key = choice === 'default' ? defaults[body.channel] : choice.key;
  const layout = key !== undefined && Object.hasOwn(layouts, key) ? layouts[key] : undefined;
  if (!layout && choice !== 'default') throw new RenderFailure(`there is no layout ${choice.key}`);
  return layout ?? null;
}

/** Lists what a template uses, in the form of parts/pins.ts. */
export function usesOfBodies(bodies: BodyFields[]): string[] {
  const uses = bodies.flatMap((body) => {
    const choice = layoutChoice(bodies, body);
    const { partials = [], translates = false } = body.derived ?? {};
    return [
      ...(choice === 'default' ? [defaultLayoutUse(body.channel)] : choice ? [layoutUse(choice.key)] : []),
      ...partials.map(partialUse),
      ...(translates ? [translationsUse] : []),
    ];
  });
  return [...new Set(uses)].sort();
}

/** Lists the translation keys that the bodies use, without those of their layouts and partials. */
export function translationKeysOf(bodies: BodyFields[]): string[] {
  return [...new Set(bodies.flatMap(({ derived }) => derived?.keys ?? []))].sort();
}

export type Unpinned = Omit<TemplateContent, 'parts'>;

/**
 * Pins content to the current parts of a Live environment; in Test it follows them. Throws a Problem when a body names a layout
 * that its channel does not have, or when it could not be compiled with the parts that there are. The caller holds the lock of the
 * environment, so no part changes in the meantime.
 */
export async function pinned(tx: Sql, principal: Principal, content: Unpinned): Promise<TemplateContent> {
  const { environmentId, environmentKind } = principal;
  const uses = usesOfBodies(content.bodies);
  const isTest = environmentKind === 'test';
  if (uses.length === 0) return { ...content, parts: null };
  const current = await listCurrent(tx, environmentId);
  requireLayouts(current, content.bodies);
  const problem = problemOf(partIndex(current), uses);
  if (problem) throw invalidParameter('bodies', `The template cannot be rendered: ${problem}.`);
  return { ...content, parts: isTest ? null : pinsFor(current, uses) };
}

/** Throws a Problem when a body names a layout that its channel does not have. */
export function requireLayouts(current: readonly CurrentPart[], bodies: readonly BodyFields[]): void {
  for (const { layout, channel } of bodies) {
    if (layout === undefined || layout === noLayout) continue;
    const found = current.find(({ kind, key }) => kind === 'layout' && key === layout);
    if (found?.channel !== channel)
      throw invalidParameter('layout', `There is no layout ${layout} for the channel of the body.`);
  }
}
