import { splitDocument } from '../../../channels/email/mjml.ts';
import type { BodyField, TemplateRule } from '../../../channels/template-rule.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import type { Budget } from '../../../templating/budget.ts';
import { type CompiledTemplate, compile, type Flavour } from '../../../templating/compile.ts';
import { TemplateFault } from '../../../templating/fault.ts';
import { type PartialSources, useForReadingAll } from '../../../templating/partials.ts';
import { SafeHtml } from '../../../templating/text.ts';
import { noTranslation, type Translation } from '../../../templating/translation.ts';
import type { LayoutSources } from '../parts/index.ts';
import { type BodyFields, htmlOf } from './bodies.ts';

export interface RenderedContent {
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  structured: unknown;
}

export const flavours: Record<BodyField, Flavour> = {
  subject_template: 'text',
  text_template: 'text',
  html_template: 'html',
  structured_template: 'json',
};

/**
 * The maximum number of characters that a field may render to. A subject is a header line (RFC 5322), with the same limit as a
 * subject in a request.
 */
export const outputLimits: Record<BodyField, number> = {
  subject_template: 65_536,
  text_template: 2_000_000,
  html_template: 2_000_000,
  structured_template: 262_144,
};
const maxSubject = 998;

/** A body that could not be rendered. The message addresses the author of the template or the sender of the data. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure';
}

/** The cost of parsing and checking a character of JSON. */
export const parseUnits = 4;

/** What a body is rendered with besides its data. Plain data, which threads receive, too. */
export interface BodyContext {
  layout: LayoutSources | null;
  partials: PartialSources;
  translation: Translation;
  /** How faults name the fields; by their own names when absent. */
  names?: Readonly<Record<BodyField, string>> | undefined;
}

const noContext: BodyContext = { layout: null, partials: {}, translation: noTranslation };

interface RenderOptions {
  translation?: Translation;
  /** A draft may render to nothing, because its data may be incomplete, or because it is a part of the content. */
  isDraft?: boolean;
}

export type CompiledBody = (data: object, budget: Budget, options?: RenderOptions) => RenderedContent;

type BodyParts = Pick<BodyContext, 'layout' | 'partials' | 'names'>;

/** Fields are compiled when they are first rendered. The function throws a RenderFailure, or HeavyWork. */
export function compileBody(
  body: BodyFields,
  { layout, partials, names }: BodyParts = noContext,
): CompiledBody {
  const compiled = new Map<string, CompiledTemplate>();
  const rule = templateRules[body.channel];
  const html = htmlOf(body);
  const isMjml = html !== body.html_template;
  const around = { html: layout ? layoutHtml(layout, isMjml) : '', text: layout?.text ?? '' };

  function render(
    name: BodyField,
    source: string,
    label: string | undefined,
    input: { data: object; budget: Budget; translation: Translation },
  ): string {
    const { data, budget, translation } = input;
    const id = `${label ?? ''} ${name}`;
    try {
      let template = compiled.get(id);
      if (!template) {
        useForReadingAll(budget, source, partials);
        template = compile(source, flavourOf(rule, name), {
          locale: body.locale,
          partials,
          ...(label === undefined ? {} : { label }),
        });
        compiled.set(id, template);
      }
      return template.render(data, budget, outputLimits[name], { translation });
    } catch (error) {
      if (error instanceof TemplateFault)
        throw new RenderFailure(`${names?.[name] ?? name}: ${error.message}`);
      throw error;
    }
  }

  return (data, budget, { translation = noTranslation, isDraft = false } = {}) => {
    const input = { data, budget, translation };
    const field = (name: BodyField, source = body[name]): string | null =>
      source === '' ? null : render(name, source, undefined, input);
    /** The layout has the data of the body, and the body as `content`. */
    const wrap = (name: BodyField, source: string, scope: object): string =>
      render(name, source, `layout ${layout?.key}`, { ...input, data: { ...data, ...scope } });
    const structured = field('structured_template');
    budget.use(parseUnits * (structured?.length ?? 0));
    const subject = foldSubject(field('subject_template'));
    const inner = field('html_template', html);
    const text = field('text_template');
    const rendered = {
      subject,
      html_body: inner && around.html ? wrap('html_template', around.html, htmlScope(inner)) : inner,
      text_body: text && around.text ? wrap('text_template', around.text, { content: text }) : text,
      structured: structured === null ? null : settled(rule, parseStructured(structured)),
    };
    if (!isDraft && isNothing(rule, { ...rendered, html_body: inner, text_body: text }))
      throw new RenderFailure('it renders to an empty text');
    check(rule, rendered, (field) => names?.[field] ?? field);
    return rendered;
  };

  function htmlScope(inner: string): object {
    if (!isMjml) return { content: new SafeHtml(inner) };
    const { styles, content } = splitDocument(inner);
    if (!hasHead(around.html)) return { content: new SafeHtml(styles + content) };
    return { content: new SafeHtml(content), [stylesVariable]: new SafeHtml(styles) };
  }
}

const stylesVariable = 'content_styles';

const headEnd = /(?=<\/head>)/i;
const hasHead = (html: string): boolean => headEnd.test(html);

/** The styles of an MJML body go to the end of the head of the layout; without one they stay before the content. */
function layoutHtml({ html }: LayoutSources, isMjml: boolean): string {
  return isMjml ? html.replace(headEnd, `{{ ${stylesVariable} }}`) : html;
}

/** In JSON with markup, data must not cause mentions: `<!channel>` in a name is escaped. */
function flavourOf({ settleMarks }: TemplateRule, field: BodyField): Flavour {
  return settleMarks && field === 'structured_template' ? 'marked' : flavours[field];
}

/** A subject is one line: line breaks become spaces. */
function foldSubject(subject: string | null): string | null {
  return subject === null ? null : subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function settled(rule: TemplateRule, structured: unknown): unknown {
  return rule.settleMarks ? rule.settleMarks(structured) : structured;
}

function parseStructured(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    // The parser's message quotes the surrounding text, which may be personal data, so only the position is reported.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw new RenderFailure(
      `structured_template: it does not render to valid JSON${position ? ` (at character ${position} of the result)` : ''}`,
    );
  }
}

function isNothing(
  { subjectSuffices, structuredIsExtra }: TemplateRule,
  { subject, html_body: html, text_body: text, structured }: RenderedContent,
): boolean {
  const isStructured = structured !== null && !structuredIsExtra;
  return !html?.trim() && !text?.trim() && !isStructured && !(subjectSuffices && subject);
}

function check(
  rule: TemplateRule,
  { subject, text_body: text, structured }: RenderedContent,
  nameOf: (field: BodyField) => string,
): void {
  if (subject !== null && subject.length > maxSubject)
    throw new RenderFailure(
      `${nameOf('subject_template')}: it renders to more than ${maxSubject} characters`,
    );
  const problem = structured === null ? null : rule.structuredProblem?.(structured);
  if (problem) throw new RenderFailure(`structured_template: ${problem}`);
  const refused = text ? rule.textProblem?.(text) : null;
  if (refused) throw new RenderFailure(`${nameOf('text_template')}: ${refused}`);
}
