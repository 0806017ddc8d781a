import { RE2JS } from 're2js';

/** A regular expression written by a tenant: its time is linear in the length of the text. */
export interface LinearRegExp {
  test(text: string): boolean;
  /** The source of the pattern, by which callers that compile many patterns distinguish them. */
  toString(): string;
}

/** A feature of ECMAScript that no linear-time engine can support, or that this one lacks. */
export class UnsupportedPattern extends Error {
  override readonly name = 'UnsupportedPattern';
}

/** Compiles an ECMAScript pattern (with the flag u). Throws UnsupportedPattern, or SyntaxError when the pattern is invalid. */
export function linearRegExp(pattern: string): LinearRegExp {
  void new RegExp(pattern, 'u');
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(translated(pattern)));
  } catch (error) {
    if (error instanceof UnsupportedPattern) throw error;
    throw new UnsupportedPattern(reasonOf(pattern));
  }
  return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
}

const look = /\(\?<?[=!]/;
const hint = 'use a pattern without it';

function reasonOf(pattern: string): string {
  if (look.test(pattern)) return `look-ahead and look-behind are not supported; ${hint}`;
  if (/\{\d{4,}/.test(pattern)) return 'a pattern can have at most 1000 repetitions, nested ones multiplied';
  return `it uses a feature that cannot be matched in linear time; ${hint}`;
}

/** ECMAScript's white space, inside a class; the engine's own class covers ASCII alone. */
const space =
  '\\t-\\r\\x20\\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const notSpace =
  '\\x00-\\x08\\x0e-\\x1f\\x21-\\x9f\\xa1-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** Translates syntax that both languages share but that differs in meaning. */
function translated(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(/\\[pP]\{[^}]*\}|\\[\s\S]|[[\].]/gu, (part) => {
    switch (part) {
      case '[':
        isInClass = true;
        return part;
      case ']':
        isInClass = false;
        return part;
      case '.':
        return isInClass ? part : '[^\\n\\r\\x{2028}\\x{2029}]';
      case '\\s':
        return isInClass ? space : `[${space}]`;
      case '\\S':
        return isInClass ? notSpace : `[${notSpace}]`;
      case '\\b':
        return isInClass ? '\\x08' : part;
      default:
        // The engine expects a script or category without the name of the property.
        if (/^\\[pP]\{/.test(part)) return part.replace(/\{(?:Script|sc|General_Category|gc)=/, '{');
        if (/^\\[1-9k]$/.test(part))
          throw new UnsupportedPattern(`back-references are not supported; ${hint}`);
        return part;
    }
  });
}
