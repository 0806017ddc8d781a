import { toText } from './text.ts';

/**
 * In a `marked` body these noncharacters of Unicode, which no text has, replace the characters & < > of the data. Code that
 * knows the meaning of the JSON can then distinguish the markup of the template from text in the data that merely looks like
 * it.
 */
const marks: Record<string, string> = { '&': '\ufdd0', '<': '\ufdd1', '>': '\ufdd2' };
const characters: Record<string, string> = { '\ufdd0': '&', '\ufdd1': '<', '\ufdd2': '>' };

export function markText(text: string): string {
  return text.replace(/[\ufdd0-\ufdd2]/g, '').replace(/[&<>]/g, (character) => marks[character] ?? '');
}

export function unmarkText(text: string, as: (character: string) => string): string {
  return text.replace(/[\ufdd0-\ufdd2]/g, (mark) => as(characters[mark] ?? ''));
}

/**
 * Data that its template trusts (`| raw`): it is written unchanged. A filter after it receives plain text, and returns plain
 * text.
 */
export class VerifiedText {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
  toString(): string {
    return toText(this.value);
  }
}
