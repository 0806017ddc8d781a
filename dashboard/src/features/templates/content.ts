import type { Template, TemplateBody } from '@carillon/sdk';
import type { Language } from '../../editor/index.ts';
import { type Channel, channelNames } from '../../strings/common.ts';
import { ring } from '../../strings/ring.ts';
import { isRingWrong, type RingDraft, ringDraftOf, ringOf } from '../../ui/index.ts';

export type Body = TemplateBody;
export const bodyFields = [
  'subject_template',
  'html_template',
  'text_template',
  'structured_template',
] as const;
export type BodyField = (typeof bodyFields)[number];

/** The content of a template: everything that a save changes. */
export interface Content {
  name: string;
  bodies: Body[];
  /** When in-app items ring devices, as it is typed. */
  push: RingDraft;
}

/** Identifies one body of a template. */
export interface BodyLocation {
  channel: Channel;
  locale: string | null;
}

/** The fields of each channel, in writing order. */
const channelFields: Record<Channel, readonly BodyField[]> = {
  email: ['subject_template', 'html_template', 'text_template'],
  in_app: ['subject_template', 'text_template', 'html_template', 'structured_template'],
  sms: ['text_template'],
  webhook: ['structured_template', 'text_template'],
  chatone: ['structured_template'],
  chattwo: ['structured_template'],
  chatthree: ['text_template', 'structured_template'],
};

/** What can differ between two versions of a body. */
type ChangedField = BodyField | 'layout';

export const fieldLanguages: Record<ChangedField, Language> = {
  layout: 'text',
  subject_template: 'text',
  html_template: 'html',
  text_template: 'text',
  structured_template: 'json-liquid',
};

export function emptyBody({ channel, locale }: BodyLocation): Body {
  return {
    channel,
    locale,
    subject_template: '',
    text_template: '',
    html_template: '',
    structured_template: '',
    layout: null,
  };
}

type SavedContent = Pick<Template, 'name' | 'bodies' | 'push'>;
export const contentOf = ({ name, bodies, push }: SavedContent): Content => ({
  name,
  bodies,
  push: ringDraftOf(push),
});
export const savedContentOf = ({ push, ...content }: Content): SavedContent => ({
  ...content,
  push: ringOf(push),
});
export const canSave = ({ push }: Content): boolean => !isRingWrong(push);
/** Empty when the category decides. */
export const pushText = ({ push: { mode, seconds } }: Content): string =>
  mode === '' ? '' : ring.summary(mode, seconds);

const isAt = (body: Body, { channel, locale }: BodyLocation) =>
  body.channel === channel && body.locale === locale;

export function findBody({ bodies }: Content, place: BodyLocation): Body | undefined {
  return bodies.find((body) => isAt(body, place));
}

/** Includes webhook fields that only an API client sets, when they have a value. */
export function fieldsOf(body: Body): BodyField[] {
  const usual = channelFields[body.channel];
  return [...usual, ...bodyFields.filter((field) => !usual.includes(field) && body[field] !== '')];
}

/** Keeps the order of the service: by channel, the default before the languages. */
export function withBody(content: Content, body: Body): Content {
  const bodies = [...content.bodies.filter((each) => !isAt(each, body)), body];
  const rank = (each: Body) => channelNames.indexOf(each.channel);
  bodies.sort(
    (one, other) => rank(one) - rank(other) || ((one.locale ?? '') < (other.locale ?? '') ? -1 : 1),
  );
  return { ...content, bodies };
}

/** A channel without its default body is removed with its languages. */
export function withoutBody(content: Content, { channel, locale }: BodyLocation): Content {
  return {
    ...content,
    bodies: content.bodies.filter(
      (body) => body.channel !== channel || (locale !== null && body.locale !== locale),
    ),
  };
}

export function channelsOf({ bodies }: Pick<Content, 'bodies'>): Channel[] {
  return channelNames.filter((channel) => bodies.some((body) => body.channel === channel));
}

export function localesOf({ bodies }: Content, channel: Channel): string[] {
  return bodies.flatMap((body) => (body.channel === channel && body.locale !== null ? [body.locale] : []));
}

interface FieldChange extends BodyLocation {
  field: ChangedField;
  before: string;
  after: string;
}

/** Returns the changed fields in the order of the page. */
export function changedFields(before: Content, after: Content): FieldChange[] {
  const places = [...after.bodies, ...before.bodies.filter((body) => !findBody(after, body))].sort(
    (one, other) => channelNames.indexOf(one.channel) - channelNames.indexOf(other.channel),
  );
  return places.flatMap(({ channel, locale }) => {
    const place = { channel, locale };
    const [former, latter] = [before, after].map((content) => findBody(content, place) ?? emptyBody(place));
    return (['layout', ...bodyFields] as const).flatMap((field) => {
      const [one, other] = [former?.[field] ?? '', latter?.[field] ?? ''];
      return one === other ? [] : [{ ...place, field, before: one, after: other }];
    });
  });
}

export function isSame(one: Content, other: Content): boolean {
  return (
    one.name === other.name &&
    pushText(one) === pushText(other) &&
    one.bodies.length === other.bodies.length &&
    one.bodies.every((body) => findBody(other, body)) &&
    changedFields(one, other).length === 0
  );
}
