import { isMasked, masked } from '../../kernel/mask.ts';
import { splitLiquid } from './liquid-parts.ts';

/** What a fetch step sends credentials in. */
export interface FetchFields {
  url: string;
  headers: Record<string, string>;
}

/** `place` says where the credential stands: `header authorization`, `query api_key`, `password`. */
export type ReplaceCredential = (credential: string, location: string) => string;

/**
 * Puts another text in the place of each credential of a fetch step, always in the same order. A credential is a literal text
 * in a header or a query parameter whose name or value looks like one, or the password in a URL. Liquid is never part of it:
 * in `Bearer {{ trigger.token }}` nothing is secret. A masked credential is found where the credential itself was.
 */
export function replaceCredentials(fields: FetchFields, replace: ReplaceCredential): FetchFields {
  return {
    url: replaceInUrl(fields.url, replace),
    headers: Object.fromEntries(
      Object.entries(fields.headers).map(([name, value]) => [name, replaceInHeader(name, value, replace)]),
    ),
  };
}

export function credentialsIn(fields: FetchFields): { credential: string; place: string }[] {
  const found: { credential: string; place: string }[] = [];
  replaceCredentials(fields, (credential, location) => {
    found.push({ credential, place: location });
    return credential;
  });
  return found;
}

const credentialName =
  /authorization|cookie|token|secret|passw|credential|signature|session|api[-_]?key|(?:^|[-_.])(?:key|auth|pwd|sig)$/i;
const scheme = /^(?:bearer|basic|token|digest|negotiate|api-?key)\s+/i;
/** How keys of well-known services begin, and tokens that say what they are. */
const knownKey =
  /^(?:[spr]k_(?:live|test)_|sk-|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|SG\.|re_|key-|whsec_|crl_(?:live|test)_|shp(?:at|ca|pa|ss)_|npm_|hf_|dop_v1_|ya29\.|eyJ)[\w.+/=-]{8}/;

function looksSecret(name: string, value: string): boolean {
  return credentialName.test(name) || knownKey.test(value) || isMasked(value);
}

function replaceInHeader(name: string, value: string, replace: ReplaceCredential): string {
  const start = scheme.exec(value)?.[0] ?? '';
  const rest = value.slice(start.length);
  if (start === '' && !looksSecret(name, rest)) return value;
  return start + replaceLiterals(rest, `header ${name.toLowerCase()}`, replace);
}

/** Beside Liquid a short text is a separator or a prefix, not a secret. */
const shortest = 6;

function replaceLiterals(value: string, location: string, replace: ReplaceCredential): string {
  const parts = splitLiquid(value);
  const isMixed = parts.length > 1;
  return parts
    .map(({ text, isLiquid }) => {
      if (isLiquid || text.trim() === '') return text;
      return isMixed && text.trim().length < shortest && !isMasked(text) ? text : replace(text, location);
    })
    .join('');
}

function replaceInUrl(url: string, replace: ReplaceCredential): string {
  return piecesOf(url)
    .map(({ text, place: location }) => (location === null ? text : replaceLiterals(text, location, replace)))
    .join('');
}

/**
 * Where a call goes: everything before the path, as it is written, with credentials masked. A stored credential must not follow
 * its step to another server, so also Liquid in the user name counts: it may render to the end of the host.
 */
export function destinationOf(url: string): string {
  const hide = (credential: string): string => (isMasked(credential) ? credential : masked(credential));
  return piecesOf(url)
    .filter(({ isDestination }) => isDestination)
    .map(({ text, place: location }) =>
      location === null ? text.toLowerCase() : replaceLiterals(text, location, hide),
    )
    .join('');
}

interface Piece {
  text: string;
  /** Of a credential; null for everything else. */
  place: string | null;
  /** It stands before the path. */
  isDestination: boolean;
}

/** Stands for a piece of Liquid while a URL is taken apart: what is in it must not be read as a part of the URL. */
const hole = '\uE000';

function piecesOf(url: string): Piece[] {
  const parts = url.includes(hole) ? [{ text: url, isLiquid: false }] : splitLiquid(url);
  const liquid = parts.filter(({ isLiquid }) => isLiquid).map(({ text }) => text);
  const plain = parts.map(({ text, isLiquid }) => (isLiquid ? hole : text)).join('');
  if (liquid.length === 0) return plainPiecesOf(plain);
  return plainPiecesOf(plain).map((piece) => ({
    ...piece,
    text: piece.text.replaceAll(hole, () => liquid.shift() ?? ''),
  }));
}

/** A URL cut into its parts, in order; nothing is lost. */
function plainPiecesOf(url: string): Piece[] {
  const pieces: Piece[] = [];
  const add = (from: number, to: number, location: string | null = null): void => {
    if (from < to) pieces.push({ text: url.slice(from, to), place: location, isDestination: to <= pathAt });
  };
  const separator = url.indexOf('://');
  const authorityAt = separator === -1 ? 0 : separator + 3;
  const pathAt = indexOfAny(url, '/\\?#', authorityAt, url.length);
  const fragmentAt = indexOfAny(url, '#', pathAt, url.length);
  const queryAt = indexOfAny(url, '?', pathAt, fragmentAt);
  add(0, authorityAt);
  const at = url.lastIndexOf('@', pathAt - 1);
  const hostAt = Math.max(authorityAt, at + 1);
  if (hostAt > authorityAt) {
    const colon = url.indexOf(':', authorityAt);
    const secretAt = colon !== -1 && colon < at ? colon + 1 : authorityAt; // without a colon all of it is a token
    add(authorityAt, secretAt);
    add(secretAt, at, 'password');
    add(at, hostAt);
  }
  add(hostAt, pathAt);
  add(pathAt, queryAt);
  for (let from = queryAt; from < fragmentAt; ) {
    const to = indexOfAny(url, '&', from + 1, fragmentAt);
    const equals = indexOfAny(url, '=', from + 1, to);
    const valueAt = Math.min(equals + 1, to);
    const name = url.slice(from + 1, equals);
    const isSecret = looksSecret(name, url.slice(valueAt, to));
    add(from, valueAt);
    add(valueAt, to, isSecret ? `query ${name.toLowerCase()}` : null);
    from = to;
  }
  add(fragmentAt, url.length);
  return pieces;
}

/** Where the first of the characters stands; `end` when there is none before it. */
function indexOfAny(text: string, characters: string, start: number, end: number): number {
  for (let at = start; at < end; at += 1) if (characters.includes(text[at] ?? '')) return at;
  return end;
}
