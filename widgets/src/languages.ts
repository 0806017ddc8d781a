import { ar } from './languages/ar.ts';
import { de } from './languages/de.ts';
import { es } from './languages/es.ts';
import { fr } from './languages/fr.ts';
import { it } from './languages/it.ts';
import { ja } from './languages/ja.ts';
import { nl } from './languages/nl.ts';
import { pl } from './languages/pl.ts';
import { pt } from './languages/pt.ts';
import type { Messages } from './texts.ts';

/**
 * The texts in the languages beside English, by the first part of the language tag. Texts with a count are worded so that one form
 * fits every number.
 */
export const languages: Readonly<Record<string, Messages>> = { de, fr, es, pt, it, nl, pl, ja, ar };

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);

export function isRightToLeft(language: string): boolean {
  return rightToLeft.has(language.toLowerCase().split('-')[0] ?? '');
}
