import { type Channel, channels } from '../channels.ts';
import { pretty } from './json-file.ts';

export const name = 'templates';

/**
 * templates/<key>/template.json has the name, the subjects and the layouts; every other field of a body is a file <channel>[.<locale>].html, .txt
 * or .json. A file ends with a line break that is not part of the template: editors add one anyway.
 */
export const fieldByExtension = {
  html: 'html_template',
  txt: 'text_template',
  json: 'structured_template',
} as const;
type Extension = keyof typeof fieldByExtension;

export const used: Record<Channel, readonly (Extension | 'subject')[]> = {
  email: ['subject', 'html', 'txt'],
  in_app: ['subject', 'html', 'txt', 'json'],
  sms: ['txt'],
  webhook: ['subject', 'html', 'txt', 'json'],
  chatone: ['json'],
  chattwo: ['json'],
  chatthree: ['txt', 'json'],
};

export interface Head {
  name: string;
  subjects?: Record<string, string>;
  push?: { mode: string; after_seconds?: number };
  /** The layouts that bodies name. */
  layouts?: Record<string, string>;
}

/** `email`, `email.de`: which body it is. */
export const bodyName = (channel: string, locale: string | null): string =>
  locale ? `${channel}.${locale}` : channel;

export const inOrder = <Value>(entries: Iterable<[string, Value]>): [string, Value][] =>
  [...entries].sort(([one], [other]) => (one < other ? -1 : 1));

export function headOf({ name: called, subjects = {}, layouts = {}, push }: Head): string {
  const sorted = (names: Record<string, string>) => Object.fromEntries(inOrder(Object.entries(names)));
  const head: Head = {
    name: called,
    ...(Object.keys(subjects).length > 0 ? { subjects: sorted(subjects) } : {}),
    ...(Object.keys(layouts).length > 0 ? { layouts: sorted(layouts) } : {}),
    ...(push ? { push } : {}),
  };
  return pretty(head);
}

export const withoutBreak = (content: string): string => content.replace(/\n$/, '');

export function partsOf(
  file: string,
): { channel: Channel; locale: string | null; extension: Extension } | null {
  const [first = '', ...rest] = file.split('.');
  const extension = rest.pop();
  const channel = channels.find((each) => each === first.replaceAll('-', '_'));
  if (!channel || rest.length > 1 || !isExtension(extension)) return null;
  const [tag] = rest;
  const locale = tag === undefined ? null : canonicalLocale(tag);
  return tag !== undefined && locale === null ? null : { channel, locale, extension };
}

function isExtension(text: string | undefined): text is Extension {
  return text !== undefined && Object.hasOwn(fieldByExtension, text);
}

function canonicalLocale(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}
