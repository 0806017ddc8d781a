import { type Channel, channels } from '../../../channels/contract.ts';
import type { BodyField } from '../../../channels/template-rule.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import { languageTag } from '../../../kernel/patterns.ts';
import type { TemplateUses } from '../../../templating/compile.ts';

/**
 * The content of a template for one channel and one language; `locale` is null for the default language. Absent fields are
 * empty.
 */
export interface BodyFields {
  channel: Channel;
  locale: string | null;
  subject_template: string;
  text_template: string;
  html_template: string;
  structured_template: string;
  /** The key of a layout, or `none`; absent for the default layout of the channel. */
  layout?: string;
  /** Absent when the body uses none of it. */
  derived?: DerivedBody;
}

/** What follows from the sources of a body, computed when it is saved. */
export interface DerivedBody extends TemplateUses {
  /** The HTML of an MJML source. */
  html?: string;
}

type BodyInput = { [Field in BodyField | 'layout']?: string | null | undefined };

/** Builds a body with the fields of its channel; others are ignored. */
export function newBody(channel: Channel, locale: string | null, input: BodyInput): BodyFields {
  const body: BodyFields = {
    channel,
    locale,
    subject_template: '',
    text_template: '',
    html_template: '',
    structured_template: '',
  };
  for (const field of templateRules[channel].fields) body[field] = input[field] ?? '';
  if (input.layout) body.layout = input.layout;
  return body;
}

/** The HTML to render. */
export function htmlOf({ html_template: source, derived }: BodyFields): string {
  return derived?.html ?? source;
}

/** Returns the required field that the body lacks, or null. */
export function missingField(body: BodyFields): BodyField | null {
  const empty = (field: BodyField): boolean => body[field].trim() === '';
  const { fields, needsSubject, structuredIsExtra } = templateRules[body.channel];
  if (needsSubject && empty('subject_template')) return 'subject_template';
  const content = fields.filter(
    (field) => field !== 'subject_template' && !(structuredIsExtra && field === 'structured_template'),
  );
  return content.every(empty) ? (content[0] ?? null) : null;
}

/** The order in which bodies are stored and shown: by channel, the default before its locales. */
export function sortBodies(bodies: BodyFields[]): BodyFields[] {
  const rank = (body: BodyFields): number => channels.indexOf(body.channel);
  return [...bodies].sort(
    (one, other) => rank(one) - rank(other) || ((one.locale ?? '') < (other.locale ?? '') ? -1 : 1),
  );
}

export function findBody(
  bodies: BodyFields[],
  channel: Channel,
  locale: string | null,
): BodyFields | undefined {
  return bodies.find((body) => body.channel === channel && body.locale === locale);
}

export function replaceBody(bodies: BodyFields[], body: BodyFields): BodyFields[] {
  return sortBodies([
    ...bodies.filter((each) => each.channel !== body.channel || each.locale !== body.locale),
    body,
  ]);
}

/** A channel without its default body has no body: removing the default removes its locales, too. */
export function removeBody(bodies: BodyFields[], channel: Channel, locale: string | null): BodyFields[] {
  return bodies.filter((body) => body.channel !== channel || (locale !== null && body.locale !== locale));
}

/** `de_AT`, `de-at` → `de-AT`; null when the text is not a language tag. */
export function canonicalLocale(text: string): string | null {
  return languageTag(text.replaceAll('_', '-'));
}

/** `de-AT` selects de-AT, then de, then the default. */
export function chooseBody(
  bodies: BodyFields[],
  channel: Channel,
  locale: string | null,
): BodyFields | undefined {
  for (let wanted = locale && canonicalLocale(locale); wanted; wanted = wanted.replace(/-?[^-]*$/, '')) {
    const found = findBody(bodies, channel, wanted);
    if (found) return found;
  }
  return findBody(bodies, channel, null);
}

/** Kebab-case, as `body_channels` shows the channels. */
export const kebab = (channel: Channel): string => channel.replaceAll('_', '-');

export function bodyChannels(bodies: BodyFields[]): Channel[] {
  return channels.filter((channel) => bodies.some((body) => body.channel === channel));
}

/** `in-app` and `in_app` are the same channel. */
export function channelOf(name: string): Channel | null {
  return channels.find((channel) => channel === name || kebab(channel) === name) ?? null;
}

/** The flat fields of the wire: another view of the default email body and, for its text, of the SMS body. */
interface FlatFields {
  subject_template: string;
  html_body_template: string;
  text_body_template: string;
}

export type FlatInput = { [Field in keyof FlatFields]?: string | null | undefined };

export function flatOf(bodies: BodyFields[]): FlatFields {
  const email = findBody(bodies, 'email', null);
  return {
    subject_template: email?.subject_template ?? '',
    html_body_template: email?.html_template ?? '',
    text_body_template: email?.text_template || findBody(bodies, 'sms', null)?.text_template || '',
  };
}

/** Writes flat fields into the bodies they represent; absent fields stay unchanged. */
export function applyFlat(bodies: BodyFields[], input: FlatInput): BodyFields[] {
  const subject = givenText(input.subject_template);
  const html = givenText(input.html_body_template);
  const text = givenText(input.text_body_template);
  if (subject === undefined && html === undefined && text === undefined) return bodies;
  const email = findBody(bodies, 'email', null);
  const sms = findBody(bodies, 'sms', null);
  if (!email && sms && text !== undefined && !subject && !html)
    return replaceBody(bodies, newBody('sms', null, { text_template: text }));
  // An email without text shows the text of the SMS: when a client writes it back unchanged, it stays with the SMS only.
  const isUnchanged = email?.text_template === '' && text === flatOf(bodies).text_body_template;
  const next = newBody('email', null, {
    subject_template: subject ?? email?.subject_template,
    html_template: html ?? email?.html_template,
    text_template: text === undefined || isUnchanged ? email?.text_template : text,
    layout: email?.layout,
  });
  const isEmpty = !next.subject_template && !next.html_template && !next.text_template;
  return isEmpty ? removeBody(bodies, 'email', null) : replaceBody(bodies, next);
}

/** A flat field without a value is the empty text. */
const givenText = (value: string | null | undefined): string | undefined => (value === null ? '' : value);
