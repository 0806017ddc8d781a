import { toText } from './text.ts';

/**
 * In a `marked` body the characters & < > of the data stand as these noncharacters of Unicode, which no text has. Whoever knows
 * what the JSON means can then tell the markup of the template from what merely looks like it in the data.
 */
const marks: Record<string, string> = { '&': '\ufdd0', '<': '\ufdd1', '>': '\ufdd2' };
const characters: Record<string, string> = { '\ufdd0': '&', '\ufdd1': '<', '\ufdd2': '>' };

export function markText(text: string): string {
  return text.replace(/[\ufdd0-\ufdd2]/g, '').replace(/[&<>]/g, (character) => marks[character] ?? '');
}

export function unmarkText(text: string, as: (character: string) => string): string {
  return text.replace(/[\ufdd0-\ufdd2]/g, (mark) => as(characters[mark] ?? ''));
}

/** Data that its template vouches for (`| raw`): it is written as it is. A filter after it gets its text, and gives text again. */
export class VerifiedText {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
  toString(): string {
    return toText(this.value);
  }
}
