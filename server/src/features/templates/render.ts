import type { BodyField, TemplateRule } from '../../channels/template-rule.ts';
import { templateRules } from '../../channels/template-rules.ts';
import type { Budget } from '../../templating/budget.ts';
import { type CompiledTemplate, compile, type Flavour } from '../../templating/compile.ts';
import { TemplateFault } from '../../templating/fault.ts';
import type { BodyFields } from './bodies.ts';

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

/** A draft may render to nothing, because its data may be incomplete. */
export type CompiledBody = (data: object, budget: Budget, isDraft?: boolean) => RenderedContent;

/** Fields are compiled when they are first rendered. The function throws a RenderFailure, or HeavyWork. */
export function compileBody(body: BodyFields): CompiledBody {
  const compiled = new Map<BodyField, CompiledTemplate>();
  const rule = templateRules[body.channel];

  function field(name: BodyField, data: object, budget: Budget): string | null {
    if (body[name] === '') return null;
    try {
      let template = compiled.get(name);
      if (!template) {
        budget.useForReading(body[name]);
        template = compile(body[name], flavourOf(rule, name), { locale: body.locale });
        compiled.set(name, template);
      }
      return template.render(data, budget, outputLimits[name]);
    } catch (error) {
      if (error instanceof TemplateFault) throw new RenderFailure(`${name}: ${error.message}`);
      throw error;
    }
  }

  return (data, budget, isDraft = false) => {
    const structured = field('structured_template', data, budget);
    budget.use(parseUnits * (structured?.length ?? 0));
    const rendered = {
      subject: foldSubject(field('subject_template', data, budget)),
      html_body: field('html_template', data, budget),
      text_body: field('text_template', data, budget),
      structured: structured === null ? null : settled(rule, parseStructured(structured)),
    };
    if (!isDraft && isNothing(rule, rendered)) throw new RenderFailure('it renders to an empty text');
    check(rule, rendered);
    return rendered;
  };
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

function check(rule: TemplateRule, { subject, text_body: text, structured }: RenderedContent): void {
  if (subject !== null && subject.length > maxSubject)
    throw new RenderFailure(`subject_template: it renders to more than ${maxSubject} characters`);
  const problem = structured === null ? null : rule.structuredProblem?.(structured);
  if (problem) throw new RenderFailure(`structured_template: ${problem}`);
  const refused = text ? rule.textProblem?.(text) : null;
  if (refused) throw new RenderFailure(`text_template: ${refused}`);
}
