import { LRUCache } from 'lru-cache';
import type { Channel } from '../../../channels/contract.ts';
import { type BodyField, bodyFields } from '../../../channels/template-rule.ts';
import type { Deps } from '../../../deps.ts';
import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { noTranslation } from '../../../templating/translation.ts';
import { runCounted } from '../../../threads/effort.ts';
import { TaskStopped } from '../../../threads/task.ts';
import { type BodyFields, newBody } from './bodies.ts';
import type { BodyContext } from './render.ts';
import { templateLimits } from './schema.ts';
import { inlineCheckTask } from './tasks.ts';

/** Content that comes with a request instead of from a stored template. */
export interface InlineSources {
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
}

/** Text without tags renders to itself. */
export const hasTags = (text: string | null): boolean => text !== null && /\{[{%]/.test(text);

/** How requests name the fields of a body. */
const inlineNames: Readonly<Record<BodyField, string>> = {
  subject_template: 'subject',
  text_template: 'text_body',
  html_template: 'html_body',
  structured_template: 'structured',
};

/** Layouts, partials and translations belong to stored templates. */
export const inlineContext: BodyContext = {
  layout: null,
  partials: {},
  translation: noTranslation,
  names: inlineNames,
};

/** Fields that the channel does not have are left out. */
export function inlineBody(channel: Channel, { subject, html_body, text_body }: InlineSources): BodyFields {
  const fields = { subject_template: subject, html_template: html_body, text_template: text_body };
  return newBody(channel, null, fields);
}

/** Identifies sources; the separator cannot occur in them. */
export function inlineKey(channel: Channel, { subject, html_body, text_body }: InlineSources): string {
  return [channel, subject ?? '', html_body ?? '', text_body ?? ''].join('\0');
}

/** Throws the Problem of a source that is not Liquid, with its field, line and column. */
export type InlineCheck = (environmentId: string, channel: Channel, sources: InlineSources) => Promise<void>;

/** Characters of checked sources that are remembered: most requests repeat sources with other data. */
const knownCharacters = 2_000_000;

export function createInlineCheck({ tasks }: Pick<Deps, 'tasks'>): InlineCheck {
  const known = new LRUCache<string, true>({ maxSize: knownCharacters });
  return async (environmentId, channel, sources) => {
    const key = inlineKey(channel, sources);
    if (known.has(key)) return;
    const body = inlineBody(channel, sources);
    for (const field of bodyFields) {
      if (body[field].length <= templateLimits.field) continue;
      const param = inlineNames[field];
      throw invalidParameter(
        param,
        `${param} must have at most ${templateLimits.field} characters to be rendered with template_data.`,
      );
    }
    try {
      await runCounted(tasks, inlineCheckTask, environmentId, { body, names: inlineNames });
    } catch (error) {
      if (!(error instanceof TaskStopped)) throw error;
      const param = inlineNames[bodyFields.find((field) => body[field] !== '') ?? 'html_template'];
      throw new Problem('template_syntax_error', `${param}: ${error.message}.`, { param });
    }
    known.set(key, true, { size: key.length + 100 });
  };
}
