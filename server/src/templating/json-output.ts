import type { Emitter } from 'liquidjs';
import { VerifiedText } from './marks.ts';
import { isPlain, toText } from './text.ts';

/** An output of a structured body, not yet JSON: its form depends on the position where it is written. */
export class JsonOutput {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
  /** Captured text stays text; it becomes JSON where it is written out. */
  toString(): string {
    return toText(this.value);
  }
}

const asItIs = (text: string): string => text;

const scalar = /^(?:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?|true|false|null)$/;

/**
 * Writes a structured body so that data can neither break nor shape it; `change` is applied to every text of the data. The text
 * of the template determines the position: within a JSON string an output is escaped as part of it, elsewhere it is a JSON
 * value of its own. The state follows the text that was really written, through any branch of the template.
 */
export function createJsonEmitter(limit: number, change: (text: string) => string = asItIs): Emitter {
  let inString = false;
  let afterBackslash = false;

  function follow(text: string): string {
    for (let at = 0; at < text.length; at += 1) {
      if (afterBackslash) afterBackslash = false;
      else if (text[at] === '"') inString = !inString;
      else if (text[at] === '\\') afterBackslash = inString;
    }
    return text;
  }

  function json(output: unknown): string {
    const [value, changed] = output instanceof VerifiedText ? [output.value, asItIs] : [output, change];
    const text = inString ? stringify(toText(value), changed).slice(1, -1) : wholeValue(value, changed);
    // A backslash of the template right before an output would escape the first character of the data.
    const whole = afterBackslash ? `\\${text}` : text;
    afterBackslash = false;
    return whole;
  }

  return {
    buffer: '',
    write(chunk: unknown) {
      this.buffer += chunk instanceof JsonOutput ? json(chunk.value) : follow(String(chunk));
      if (this.buffer.length > limit) throw new Error(`it renders to more than ${limit} characters`);
    },
  };
}

/** `{{ color }}` may be 5 or "5"; both become the number. Other text is quoted, and so are numbers too long to be exact. */
function wholeValue(value: unknown, change: (text: string) => string): string {
  if (typeof value === 'string') return scalar.test(value) ? value : stringify(value, change);
  if (typeof value !== 'object' || value === null || isPlain(value) || 'toJSON' in value)
    return stringify(value ?? null, change);
  return wholeValue(toText(value), change);
}

function stringify(value: unknown, change: (text: string) => string): string {
  const json = JSON.stringify(value, (_key, entry) =>
    typeof entry === 'string' ? change(entry.toWellFormed()) : entry,
  );
  return json.replace(/[\u2028\u2029]/g, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'));
}
