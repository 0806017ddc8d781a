import { isMasked, masked } from '../../../kernel/crypto.ts';

/** The fields of a fetch step that may contain credentials. */
export interface FetchFields {
  url: string;
  headers: Record<string, string>;
}

/** `location` names the position of the credential: `header authorization`, `query api_key`, `password`. */
type ReplaceCredential = (credential: string, location: string) => string;

/**
 * Replaces each credential of a fetch step, always in the same order. A credential is a literal text in a header or a query
 * parameter whose name or value looks like one, or the password in a URL. Liquid is never part of a credential: in `Bearer {{
 * trigger.token }}` nothing is secret. A masked credential is recognized in the position of the original.
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
/** Prefixes of the keys of well-known services, and self-describing tokens. */
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

/** Next to Liquid, a shorter text is a separator or a prefix, not a secret. */
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
 * The destination of a call: everything before the path, as written, with credentials masked. A stored credential must not
 * follow its step to another server, so Liquid in the user name counts, too: it may render to the end of the host.
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
  /** The position of a credential; null for every other piece. */
  place: string | null;
  /** True for a piece before the path. */
  isDestination: boolean;
}

/** Stands for a piece of Liquid while a URL is split: the content of Liquid must not be parsed as part of the URL. */
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

/** Splits a URL into its parts, in order and without loss. */
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
    const secretAt = colon !== -1 && colon < at ? colon + 1 : authorityAt; // without a colon, all of it is a token
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

/** Returns the index of the first of the characters, or `end` when there is none before it. */
function indexOfAny(text: string, characters: string, start: number, end: number): number {
  for (let at = start; at < end; at += 1) if (characters.includes(text[at] ?? '')) return at;
  return end;
}

interface LiquidPart {
  text: string;
  isLiquid: boolean;
}

/** Splits a template into Liquid (`{{ … }}`, `{% … %}`) and the text between; an unclosed bracket is text. */
function splitLiquid(template: string): LiquidPart[] {
  const parts: LiquidPart[] = [];
  // The last closing bracket of each kind is found first, so that no search is in vain: the work stays linear in the length.
  const kinds = [
    { open: '{{', close: '}}', lastClose: template.lastIndexOf('}}') },
    { open: '{%', close: '%}', lastClose: template.lastIndexOf('%}') },
  ];
  let textFrom = 0;
  for (let at = template.indexOf('{'); at !== -1; at = template.indexOf('{', at)) {
    const kind = kinds.find(({ open, lastClose }) => template.startsWith(open, at) && at + 2 <= lastClose);
    if (!kind) {
      at += 1;
      continue;
    }
    const end = template.indexOf(kind.close, at + 2) + 2;
    if (textFrom < at) parts.push({ text: template.slice(textFrom, at), isLiquid: false });
    parts.push({ text: template.slice(at, end), isLiquid: true });
    at = end;
    textFrom = end;
  }
  if (textFrom < template.length) parts.push({ text: template.slice(textFrom), isLiquid: false });
  return parts;
}
