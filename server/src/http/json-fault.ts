import { endOfString } from '../kernel/json.ts';

type Wanted = 'value' | 'firstElement' | 'name' | 'firstName' | 'colon' | 'next';

/** Tokens are shown up to this length. */
const maxShown = 30;

/**
 * Tells where and why a text is not JSON, for a text that JSON.parse has refused: the errors of JSON.parse have no position for
 * most mistakes, and quote the text.
 */
export function jsonFault(text: string): string {
  const { what, at } = findFault(text);
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = next + 1;
  }
  return `${what} at line ${line}, column ${at - lineStart + 1}`;
}

function findFault(text: string): { what: string; at: number } {
  const open: string[] = [];
  let wanted: Wanted = 'value';
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    if (' \t\r\n'.includes(char)) {
      at += 1;
      continue;
    }
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    const isText = char === '"';
    if (isText && !isJson(token))
      return { what: 'a string is not closed or has a character that must be escaped', at };
    const next = afterToken(token, isText, wanted, open);
    if (next === null) return { what: `unexpected ${isText ? 'string' : shown(token)}`, at };
    wanted = next;
    at = end;
  }
  return { what: 'it ends too early,', at: text.length };
}

/** Returns what may follow the token; null when the token itself may not be here. */
function afterToken(token: string, isText: boolean, wanted: Wanted, open: string[]): Wanted | null {
  if (wanted === 'colon') return token === ':' ? 'value' : null;
  if (wanted === 'name' || wanted === 'firstName') {
    if (isText) return 'colon';
    return wanted === 'firstName' && token === '}' ? closed(open) : null;
  }
  if (wanted === 'next') {
    const around = open.at(-1);
    if (token === ',' && around !== undefined) return around === '{' ? 'name' : 'value';
    return (token === '}' && around === '{') || (token === ']' && around === '[') ? closed(open) : null;
  }
  if (token === ']' && wanted === 'firstElement') return closed(open);
  if (token === '{' || token === '[') {
    open.push(token);
    return token === '{' ? 'firstName' : 'firstElement';
  }
  return isText || isJson(token) ? 'next' : null;
}

function closed(open: string[]): 'next' {
  open.pop();
  return 'next';
}

/** A string ends at its quote; a number or a word at the first character that neither has. */
function endOfToken(text: string, start: number): number {
  if (text[start] === '"') return Math.min(endOfString(text, start) + 1, text.length);
  let end = start;
  while (end < text.length && /[\w.+-]/.test(text[end] ?? '')) end += 1;
  return Math.max(end, start + 1);
}

function isJson(token: string): boolean {
  try {
    JSON.parse(token);
    return true;
  } catch {
    return false;
  }
}

function shown(token: string): string {
  const code = token.charCodeAt(0);
  if (code <= 0x20 || code >= 0x7f) return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return `"${token.length > maxShown ? `${token.slice(0, maxShown)}…` : token}"`;
}
