import { settledMarks } from '../../channels/chatone/marks.ts';
import { blocksProblem } from '../../channels/chatone/shape.ts';
import { contentProblem, embedsProblem } from '../../channels/chatthree/shape.ts';
import { cardProblem } from '../../channels/chattwo/shape.ts';
import type { Channel } from '../../channels/contract.ts';
import type { Budget } from '../../templating/budget.ts';
import { type CompiledTemplate, compile, type Flavour } from '../../templating/compile.ts';
import { TemplateFault } from '../../templating/fault.ts';
import type { BodyField, BodyFields } from './bodies.ts';

export interface Rendered {
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
export type CompiledBody = (data: object, budget: Budget, isDraft?: boolean) => Rendered;

/** Fields are compiled when they are first rendered. The function throws a RenderFailure, or HeavyWork. */
export function compileBody(body: BodyFields): CompiledBody {
  const compiled = new Map<BodyField, CompiledTemplate>();

  function field(name: BodyField, data: object, budget: Budget): string | null {
    if (body[name] === '') return null;
    try {
      let template = compiled.get(name);
      if (!template) {
        budget.useForReading(body[name]);
        template = compile(body[name], flavourOf(body, name), { locale: body.locale });
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
      structured: structured === null ? null : parsedFor(body.channel, structured),
    };
    if (!isDraft && isNothing(body.channel, rendered)) throw new RenderFailure('it renders to nothing');
    check(body.channel, rendered);
    return rendered;
  };
}

/** The blocks of chatone contain markup, in which data must not cause mentions: `<!channel>` in a name is escaped. */
function flavourOf({ channel }: BodyFields, field: BodyField): Flavour {
  return channel === 'chatone' && field === 'structured_template' ? 'marked' : flavours[field];
}

/** A subject is one line: line breaks become spaces. */
function foldSubject(subject: string | null): string | null {
  return subject === null ? null : subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function parsedFor(channel: Channel, json: string): unknown {
  const value = parseStructured(json);
  return channel === 'chatone' ? settledMarks(value) : value;
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
  channel: Channel,
  { subject, html_body: html, text_body: text, structured }: Rendered,
): boolean {
  return !html?.trim() && !text?.trim() && structured === null && !(channel === 'webhook' && subject);
}

function check(channel: Channel, { subject, text_body: text, structured }: Rendered): void {
  if (subject !== null && subject.length > maxSubject)
    throw new RenderFailure(`subject_template: it renders to more than ${maxSubject} characters`);
  const problem = structured === null ? null : structuredProblem(channel, structured);
  if (problem) throw new RenderFailure(`structured_template: ${problem}`);
  const tooLong = channel === 'chatthree' && text ? contentProblem(text) : null;
  if (tooLong) throw new RenderFailure(`text_template: ${tooLong}`);
}

/** Returns the reason why the channel's service would reject the content, or null. */
export function structuredProblem(channel: Channel, structured: unknown): string | null {
  switch (channel) {
    case 'chatone':
      return blocksProblem(structured);
    case 'chattwo':
      return cardProblem(structured);
    case 'chatthree':
      return embedsProblem(structured);
    default:
      return null;
  }
}
