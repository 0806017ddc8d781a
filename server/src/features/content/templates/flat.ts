import { type BodyFields, findBody, newBody, removeBody, replaceBody } from './bodies.ts';

/** The flat fields of older clients: another view of the default email body (and, for its text, of the SMS body). */
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
