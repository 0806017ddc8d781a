import { Drop, type Emitter, toValue } from 'liquidjs';

/** Converts a value to text by the rules of Liquid: nothing for nil, lists without a separator. Objects show their content. */
export function toText(value: unknown): string {
  const plain = toValue(value) as unknown;
  if (typeof plain === 'string') return plain;
  if (plain === undefined || plain === null) return '';
  if (Array.isArray(plain)) return plain.map(toText).join('');
  return isPlain(plain) ? JSON.stringify(plain) : String(plain);
}

/** A list or an object as in JSON. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

export function createTextEmitter(limit: number): Emitter {
  return {
    buffer: '',
    write(chunk: unknown) {
      this.buffer += toText(chunk);
      if (this.buffer.length > limit) throw new Error(`it renders to more than ${limit} characters`);
    },
  };
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** The result is safe as text and within quoted attributes. */
export function escapeHtml(value: unknown): string {
  if (value instanceof SafeHtml) return value.html;
  return toText(value).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * HTML that the template itself made (a capture, an explicit `escape`): written unchanged. A filter that changes it receives
 * plain text and returns plain text, which is escaped.
 */
export class SafeHtml extends Drop {
  readonly html: string;
  constructor(html: string) {
    super();
    this.html = html;
  }
  override valueOf(): string {
    return this.html;
  }
  toJSON(): string {
    return this.html;
  }
  get length(): number {
    return this.html.length;
  }
  get size(): number {
    return this.html.length;
  }
}
