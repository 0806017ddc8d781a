import { type Static, Type } from 'typebox';
import { type Channel, channels } from '../../../channels/contract.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import {
  DateTime,
  JsonObject,
  Nullable,
  OneOf,
  PageOf,
  pageQuery,
  Search,
  Uuid,
} from '../../../http/schema.ts';
import { dottedKey } from '../../../kernel/patterns.ts';
import { maxKey, maxKeyDepth } from '../../../templating/translation.ts';

export const partLimits = {
  /** Characters of a source, and of a catalogue as JSON. */
  source: 262_144,
  layouts: 100,
  partials: 500,
  translations: 50,
  messages: 5_000,
  message: 10_000,
  /** Names from the root to a message. */
  depth: maxKeyDepth,
  /** Characters of a dotted key. */
  messageKey: maxKey,
  locale: 35,
} as const;

/** A layout wraps HTML and text; structured bodies share JSON through partials. */
const layoutChannels = channels.filter((channel: Channel) =>
  templateRules[channel].fields.some((field) => field === 'html_template' || field === 'text_template'),
);

const Key = Type.String({ pattern: dottedKey });
const Source = Type.Optional(Nullable(Type.String({ maxLength: partLimits.source })));
const IsDefault = (description: string) => Type.Optional(Type.Boolean({ description }));

export const PartParams = Type.Object({ key: Key });
const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
export const PartVersionParams = Type.Object({ key: Key, version: Version });
export const LocaleParams = Type.Object({ locale: Type.String({ maxLength: partLimits.locale }) });
export const LocaleVersionParams = Type.Object({
  locale: Type.String({ maxLength: partLimits.locale }),
  version: Version,
});
export const PartQuery = Type.Object({
  ...pageQuery,
  search: Search('A part of the key, case-insensitive.'),
});
export const PartVersionQuery = Type.Object(pageQuery);
export type PartVersionQuery = Static<typeof PartVersionQuery>;
export type PartQuery = Static<typeof PartQuery>;

const common = {
  version: Type.Integer(),
  created_at: DateTime,
  updated_at: DateTime,
};

export const PutLayout = Type.Object(
  {
    channel: OneOf([...layoutChannels, 'in-app'], { description: 'Stays as it is after the creation.' }),
    html_template: Source,
    text_template: Source,
    is_default: IsDefault('Bodies of the channel that name no layout use this one. Omitted: unchanged.'),
  },
  {
    title: 'LayoutPut',
    examples: [
      {
        channel: 'email',
        html_template: '<body>{{ content }}<p>Acme, Rome</p></body>',
        text_template: '{{ content }}\nAcme, Rome',
        is_default: true,
      },
    ],
    description: 'Each template must contain `{{ content }}`, where the body goes.',
  },
);
export type PutLayout = Static<typeof PutLayout>;

const layoutContent = {
  html_template: Type.String({
    description: 'HTML, or MJML for email. Empty: the HTML of bodies stays as it is.',
  }),
  text_template: Type.String({ description: 'Empty: the text of bodies stays as it is.' }),
};
export const Layout = Type.Object(
  {
    id: Uuid,
    key: Type.String(),
    channel: OneOf(layoutChannels),
    is_default: Type.Boolean(),
    ...layoutContent,
    ...common,
  },
  { title: 'Layout' },
);
export type Layout = Static<typeof Layout>;

export const PutPartial = Type.Object(
  { template: Type.String({ maxLength: partLimits.source }) },
  { title: 'PartialPut', examples: [{ template: '<p>Questions? Write to {{ support }}.</p>' }] },
);
export type PutPartial = Static<typeof PutPartial>;

const partialContent = {
  template: Type.String({ description: 'Escaped like the field that renders it: as HTML, text or JSON.' }),
};
export const TemplatePartial = Type.Object(
  { id: Uuid, key: Type.String(), ...partialContent, ...common },
  { title: 'TemplatePartial' },
);
export type TemplatePartial = Static<typeof TemplatePartial>;

const Messages = Type.Unsafe<Record<string, unknown>>({
  ...JsonObject,
  description:
    'Nested keys. A text may contain `%{name}`; an object of plural categories (one, other, …) is one message.',
  examples: [{ order: { shipped: 'Shipped to %{city}', items: { one: '1 item', other: '%{count} items' } } }],
});
export const PutTranslation = Type.Object(
  {
    messages: Messages,
    is_default: IsDefault(
      'Keys that another locale lacks come from this one, until another one becomes the default; the only locale always is. Omitted: unchanged.',
    ),
  },
  {
    title: 'TranslationPut',
    examples: [{ messages: { order: { shipped: 'Shipped to %{city}' } }, is_default: true }],
  },
);
export type PutTranslation = Static<typeof PutTranslation>;

const translationFields = {
  id: Uuid,
  locale: Type.String(),
  is_default: Type.Boolean(),
  message_count: Type.Integer(),
  missing_count: Type.Integer({
    description: 'Keys of the default locale, or used by templates, that this locale and its parents lack.',
  }),
  ...common,
};
export const TranslationSummary = Type.Object(translationFields, { title: 'TranslationSummary' });
export type TranslationSummary = Static<typeof TranslationSummary>;
export const Translation = Type.Object(
  { ...translationFields, messages: Messages },
  { title: 'Translation' },
);
export type TranslationView = Static<typeof Translation>;

export const MissingQuery = Type.Object({
  ...pageQuery,
  cursor: Type.Optional(Type.String({ maxLength: 400 })),
  locale: Type.Optional(Type.String({ maxLength: partLimits.locale, description: 'Only this locale.' })),
});
export type MissingQuery = Static<typeof MissingQuery>;
const MissingTranslation = Type.Object(
  {
    locale: Type.String(),
    key: Type.String(),
    in_default: Type.Boolean({
      description: 'False: a template, layout or partial uses the key, and the default locale lacks it, too.',
    }),
  },
  { title: 'MissingTranslation' },
);
export type MissingTranslation = Static<typeof MissingTranslation>;
export const MissingPage = PageOf(MissingTranslation);

export const LayoutPage = PageOf(Layout);
export const PartialPage = PageOf(TemplatePartial);
export const TranslationPage = PageOf(TranslationSummary);

const versionFields = { version: Type.Integer(), created_at: DateTime };
export const PartVersionPage = PageOf(Type.Object(versionFields, { title: 'PartVersion' }));
export const LayoutVersion = Type.Object({ ...versionFields, ...layoutContent }, { title: 'LayoutVersion' });
export const PartialVersion = Type.Object(
  { ...versionFields, ...partialContent },
  { title: 'PartialVersion' },
);
export const TranslationVersion = Type.Object(
  { ...versionFields, messages: Messages },
  { title: 'TranslationVersion' },
);
