import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { RingInput, RingSetting } from '../../../channels/in-app/push/ring-setting.ts';
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

export const templateLimits = {
  /** Characters of one field. */
  field: 262_144,
  /** Characters of all bodies together: bounds the memory of a template and the size of a response. */
  template: 1_048_576,
  bodies: 100,
  name: 200,
  locale: 35,
} as const;

const Source = Type.Optional(Nullable(Type.String({ maxLength: templateLimits.field })));
const Name = Type.String({ minLength: 1, maxLength: templateLimits.name });
const Locale = Type.String({
  maxLength: templateLimits.locale,
  description: 'A language tag such as `de` or `de-AT`.',
});

const bodyInput = {
  subject_template: Source,
  text_template: Source,
  html_template: Source,
  structured_template: Source,
  layout: Type.Optional(
    Nullable(
      Type.String({
        pattern: dottedKey,
        description: 'The key of a layout, or `none`. Omitted or null: the default layout of the channel.',
      }),
    ),
  ),
};

const flatInput = {
  subject_template: Source,
  html_body_template: Source,
  text_body_template: Source,
};

const BodyElement = Type.Object({
  channel: OneOf([...channels, 'in-app']),
  locale: Type.Optional(Nullable(Locale)),
  ...bodyInput,
});
const Bodies = Type.Optional(Type.Array(BodyElement, { maxItems: templateLimits.bodies }));
export type BodyElement = Static<typeof BodyElement>;

const Push = Type.Optional(
  Nullable(
    Type.Object(RingInput.properties, {
      description:
        'When in_app items of the template ring the devices of the user. null: as the category or the push settings say.',
    }),
  ),
);

export const NewTemplate = Type.Object(
  {
    key: Type.String({ pattern: dottedKey }),
    name: Name,
    ...flatInput,
    bodies: Bodies,
    push: Push,
  },
  {
    title: 'TemplateCreate',
    examples: [
      {
        key: 'order_shipped',
        name: 'Order shipped',
        subject_template: 'Order {{ order }} is on its way',
        html_body_template: '<p>Hello {{ name }}, order {{ order }} is on its way.</p>',
      },
    ],
    description:
      'subject_template and html_body_template set the email body and are required without bodies.',
  },
);
export type NewTemplate = Static<typeof NewTemplate>;

export const TemplatePatch = Type.Object(
  { name: Type.Optional(Name), ...flatInput, bodies: Bodies, push: Push },
  {
    title: 'TemplatePatch',
    examples: [{ name: 'Order shipped' }],
    description:
      'The flat fields change the email body; bodies replaces all bodies. Omitted fields stay unchanged; null or an empty string clears a text, and null clears push.',
  },
);
export type TemplatePatch = Static<typeof TemplatePatch>;

export const PutBodyRequest = Type.Object(bodyInput, {
  title: 'TemplateBodyPut',
  examples: [{ text_template: 'Order {{ order }} is on its way.' }],
});
export type PutBodyRequest = Static<typeof PutBodyRequest>;

const bodyFields = {
  channel: OneOf(channels),
  locale: Nullable(Type.String()),
  subject_template: Type.String(),
  text_template: Type.String(),
  html_template: Type.String(),
  structured_template: Type.String(),
  layout: Nullable(Type.String({ description: 'Null: the default layout of the channel.' })),
};
const TemplateBody = Type.Object(bodyFields, { title: 'TemplateBody' });
export type TemplateBody = Static<typeof TemplateBody>;
export const SavedTemplateBody = Type.Object(
  {
    ...bodyFields,
    version: Type.Integer({ description: 'The template version that this save created.' }),
  },
  { title: 'SavedTemplateBody' },
);

export const Template = Type.Object(
  {
    id: Uuid,
    key: Type.String(),
    name: Type.String(),
    version: Type.Integer(),
    subject_template: Type.String(),
    html_body_template: Type.String(),
    text_body_template: Type.String(),
    created_at: DateTime,
    updated_at: DateTime,
    bodies: Type.Array(TemplateBody),
    body_channels: Type.Array(Type.String(), { description: 'Kebab-case: `in-app`.' }),
    push: Nullable(RingSetting),
  },
  { title: 'Template' },
);
export type Template = Static<typeof Template>;

export const TemplatePage = PageOf(Template);
export const TemplateQuery = Type.Object({
  ...pageQuery,
  search: Search('A part of the key or the name, case-insensitive.'),
});
export type TemplateQuery = Static<typeof TemplateQuery>;

export const KeyParams = Type.Object({ key: Type.String({ maxLength: 100 }) });
export const BodyParams = Type.Object({
  key: Type.String({ maxLength: 100, description: 'The key or the id of the template.' }),
  channel: Type.String({ maxLength: 20 }),
});
export const BodyQuery = Type.Object({ locale: Type.Optional(Locale) });
export const VersionParams = Type.Object({
  key: Type.String({ maxLength: 100 }),
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
});

export const RenderRequest = Type.Object(
  {
    data: Type.Optional(Nullable(JsonObject)),
    channel: Type.Optional(Nullable(OneOf([...channels, 'in-app']))),
    locale: Type.Optional(Nullable(Locale)),
    strict: Type.Optional(Nullable(Type.Boolean())),
  },
  {
    title: 'TemplateRender',
    examples: [{ data: { name: 'Ada', order: 'A-1' }, channel: 'email' }],
    description:
      'The channel defaults to email, or else to the first one with a body. With strict, undefined variables and missing translations are rejected. The locale en-XA shows pseudo-translations.',
  },
);
export type RenderRequest = Static<typeof RenderRequest>;

const renderedFields = {
  subject: Type.String(),
  html_body: Type.String(),
  text_body: Type.String({ description: 'For an email without a text template: derived from the HTML.' }),
  structured: Type.Unsafe<unknown>({
    description: 'The JSON of a structured body; null for other channels.',
  }),
  undefined_variables: Type.Array(Type.String(), {
    description: 'Variables that the template uses and the data does not contain: each resolved to nothing.',
  }),
};
export const RenderResponse = Type.Object(renderedFields, { title: 'RenderedTemplate' });
export type RenderResponse = Static<typeof RenderResponse>;

export const PreviewRequest = Type.Object(
  {
    channel: OneOf([...channels, 'in-app']),
    locale: Type.Optional(Nullable(Locale)),
    ...bodyInput,
    data: Type.Optional(Nullable(JsonObject)),
    strict: Type.Optional(Nullable(Type.Boolean())),
  },
  {
    title: 'TemplatePreviewRequest',
    examples: [{ channel: 'sms', text_template: 'Order {{ order }} is on its way.', data: { order: 'A-1' } }],
    description: 'An unsaved body with its data.',
  },
);
export type PreviewRequest = Static<typeof PreviewRequest>;

export const PreviewResponse = Type.Object(
  {
    ...renderedFields,
    variables: Type.Array(Type.String(), { description: 'Every data path that the body uses.' }),
    missing_translations: Type.Array(Type.String(), {
      description: 'Keys without a message in the locale: the default locale or the key is shown.',
    }),
    sms: Nullable(
      Type.Object({
        encoding: OneOf(['GSM-7', 'UCS-2']),
        units: Type.Integer({ description: 'Septets, or UTF-16 code units.' }),
        segments: Type.Integer(),
      }),
    ),
  },
  { title: 'TemplatePreview' },
);
export type PreviewResponse = Static<typeof PreviewResponse>;

const versionFields = { version: Type.Integer(), name: Type.String(), created_at: DateTime };
export const VersionPage = PageOf(Type.Object(versionFields, { title: 'TemplateVersion' }));
export const TemplateVersionQuery = Type.Object(pageQuery);
export type TemplateVersionQuery = Static<typeof TemplateVersionQuery>;
export const VersionContent = Type.Object(
  { ...versionFields, bodies: Type.Array(TemplateBody), push: Nullable(RingSetting) },
  { title: 'TemplateVersionContent' },
);

export const PromoteRequest = Type.Object(
  { dry_run: Type.Optional(Nullable(Type.Boolean())) },
  { examples: [{ dry_run: true }] },
);

const changes = ['added', 'removed', 'modified', 'unchanged'] as const;
export type Change = (typeof changes)[number];
const Change = OneOf(changes);

export const TemplatePromotion = Type.Object(
  {
    applied: Type.Boolean({
      description: 'Whether Live was changed; false in a dry run and if it was identical.',
    }),
    status: OneOf(['new', 'changed', 'identical']),
    template_diff: Type.Object({
      key: Type.String(),
      status: Change,
      name: Change,
      push: Change,
      bodies: Type.Array(
        Type.Object({
          channel: OneOf(channels),
          locale: Nullable(Type.String()),
          status: Change,
          subject: Change,
          text: Change,
          html: Change,
          structured: Change,
          layout: Change,
        }),
      ),
      parts: Type.Array(
        Type.Object({
          kind: OneOf(['layout', 'partial', 'translation']),
          key: Type.String({ description: 'Of a translation: its locale.' }),
          status: Change,
        }),
        {
          description:
            'What the template uses, which is copied to Live with it. Removed: what it used in Live before; it stays there for other templates.',
        },
      ),
    }),
  },
  { title: 'TemplatePromotion' },
);
export type TemplatePromotion = Static<typeof TemplatePromotion>;
