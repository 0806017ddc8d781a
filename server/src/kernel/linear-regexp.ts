import { RE2JS } from 're2js';

/** A regular expression that tenants wrote: whatever it is asked, its time grows with the length of the text alone. */
export interface LinearRegExp {
  test(text: string): boolean;
  /** The pattern: who compiles many of them tells them apart by it. */
  toString(): string;
}

/** What ECMAScript has and no engine with linear time can have; and what this one lacks. */
export class UnsupportedPattern extends Error {
  override readonly name = 'UnsupportedPattern';
}

/** Compiles a pattern of ECMAScript (with the flag u). Throws UnsupportedPattern, or SyntaxError when it is no pattern at all. */
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
  if (/\{\d{4,}/.test(pattern)) return 'a repetition may have at most 1000 times, nested ones multiplied';
  return `it has something that patterns checked in linear time cannot have; ${hint}`;
}

/** White space as ECMAScript has it, inside a class; the engine's own knows ASCII alone. */
const space =
  '\\t-\\r\\x20\\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const notSpace =
  '\\x00-\\x08\\x0e-\\x1f\\x21-\\x9f\\xa1-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** Where the two languages write the same and mean different things. */
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
        // A script or category is named without saying which of them it is.
        if (/^\\[pP]\{/.test(part)) return part.replace(/\{(?:Script|sc|General_Category|gc)=/, '{');
        if (/^\\[1-9k]$/.test(part))
          throw new UnsupportedPattern(`back-references are not supported; ${hint}`);
        return part;
    }
  });
}
