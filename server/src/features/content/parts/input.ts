import { type Channel, channels } from '../../../channels/contract.ts';
import { compileBounded, isMjml } from '../../../channels/email/mjml.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import type { Pool } from '../../../db/sql.ts';
import { invalidParameter, missingParameter, Problem } from '../../../kernel/errors.ts';
import { languageTag } from '../../../kernel/patterns.ts';
import { namedPartials } from '../../../templating/partials.ts';
import type { TaskRunner } from '../../../threads/task.ts';
import { checkCatalogue } from './catalogue.ts';
import { excessOf, partialUse, usesOf } from './graph.ts';
import { pinsFor, pseudoLocale } from './pins.ts';
import type { PartReader } from './reader.ts';
import type { PutLayout, PutPartial, PutTranslation } from './schema.ts';
import { listCurrent, type PartContent, type PartKind, type PartRow } from './store.ts';
import { checkSources, type PartSource } from './tasks.ts';

/** A part as a request asks for it, checked. */
export type NextPart = Pick<PartRow, 'kind' | 'key' | 'channel' | 'content' | 'uses' | 'keys'> & {
  /** Null leaves it as it is. */
  is_default: boolean | null;
};

export interface Checking {
  pool: Pool;
  tasks: TaskRunner;
  reader: PartReader;
  environmentId: string;
}

/** Loads the partials that sources may render, and what those render. `param` is how the request names the sources. */
export async function loadPartials(
  { pool, reader, environmentId }: Checking,
  sources: string[],
  param: string,
): Promise<Record<string, string>> {
  const uses = sources.flatMap(namedPartials).map(partialUse);
  if (uses.length === 0) return {};
  const current = await listCurrent(pool, environmentId);
  const excess = excessOf(current, uses);
  if (excess) throw new Problem('template_syntax_error', `${param}: ${excess}.`, { param });
  return (await reader.resolve(pinsFor(current, uses))).partials;
}

export async function readLayout(checking: Checking, key: string, request: PutLayout): Promise<NextPart> {
  if (key === 'none') throw invalidParameter('key', 'The key none is reserved for bodies without a layout.');
  const channel = channels.find((each) => each === request.channel.replace('-', '_')) as Channel;
  const has = (field: 'html_template' | 'text_template') =>
    templateRules[channel].fields.includes(field) ? (request[field] ?? '') : '';
  const content = { html_template: has('html_template'), text_template: has('text_template') };
  if (!content.html_template && !content.text_template)
    throw missingParameter(
      templateRules[channel].fields.includes('html_template') ? 'html_template' : 'text_template',
    );
  const compiled =
    channel === 'email' && isMjml(content.html_template)
      ? await compileBounded(checking.tasks, checking.environmentId, {
          source: content.html_template,
          param: 'html_template',
        })
      : null;
  const sources: PartSource[] = [
    {
      param: 'html_template',
      source: compiled ?? content.html_template,
      flavour: 'html' as const,
      needsContent: true,
    },
    { param: 'text_template', source: content.text_template, flavour: 'text' as const, needsContent: true },
  ].filter(({ source }) => source !== '');
  const stored = compiled === null ? content : { ...content, html_compiled: compiled };
  return checked(checking, sources, { kind: 'layout', key, channel, content: stored }, request.is_default);
}

export async function readPartial(
  checking: Checking,
  key: string,
  { template }: PutPartial,
): Promise<NextPart> {
  const source: PartSource = { param: 'template', source: template, flavour: 'text', needsContent: false };
  return checked(checking, [source], { kind: 'partial', key, channel: null, content: { template } }, null);
}

async function checked(
  checking: Checking,
  sources: PartSource[],
  part: { kind: PartKind; key: string; channel: Channel | null; content: PartContent },
  isDefault: boolean | null | undefined,
): Promise<NextPart> {
  const loaded = await loadPartials(
    checking,
    sources.map(({ source }) => source),
    sources[0]?.param ?? '',
  );
  // A partial that renders itself through others is found with its next source.
  const partials =
    'template' in part.content ? { ...loaded, [part.key]: part.content.template } : { ...loaded };
  const uses = await checkSources(checking.tasks, checking.environmentId, { sources, partials });
  return { ...part, uses: usesOf(uses), keys: uses.keys, is_default: isDefault ?? null };
}

export function readTranslation(
  locale: string,
  { messages, is_default: isDefault }: PutTranslation,
): NextPart {
  const keys = checkCatalogue(messages);
  return {
    kind: 'translation',
    key: locale,
    channel: null,
    content: { messages },
    uses: [],
    keys,
    is_default: isDefault ?? null,
  };
}

/** `de_AT`, `de-at` → `de-AT`; null when the text is not a language tag. */
export const canonicalLocale = (text: string): string | null => languageTag(text.replaceAll('_', '-'));

export function readLocale(text: string): string {
  const locale = canonicalLocale(text);
  if (!locale) throw invalidParameter('locale', 'locale must be a language tag such as de or de-AT.');
  if (locale === pseudoLocale)
    throw invalidParameter('locale', `${pseudoLocale} is the pseudo-locale of previews.`);
  return locale;
}
