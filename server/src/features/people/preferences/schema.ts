import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { RingInput, RingSetting } from '../../../channels/in-app/push/ring-setting.ts';
import { Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../../http/schema.ts';
import { dottedKey, pattern } from '../../../kernel/patterns.ts';
import { ExternalUserId } from '../users/index.ts';

export const preferenceLimits = {
  name: 200,
  description: 1_000,
  categories: 1_000,
  changes: 5_000,
} as const;

/** The key of a category, in bodies and in paths. */
export const CategoryKey = Type.String({ pattern: dottedKey });
const Name = Type.String({ minLength: 1, maxLength: preferenceLimits.name });
const Description = Type.Optional(Nullable(Type.String({ maxLength: preferenceLimits.description })));
const DefaultChannels = Type.Array(OneOf(channels), { maxItems: channels.length });

const Push = Type.Optional(
  Nullable(
    Type.Object(RingInput.properties, {
      description:
        'When in_app items of the category ring the devices of the user. null: as the push settings say. Unchanged if omitted.',
    }),
  ),
);

export const CreateCategory = Type.Object(
  {
    key: CategoryKey,
    name: Name,
    description: Description,
    is_critical: Type.Optional(
      Type.Boolean({
        description:
          'Sends ignore preferences and quiet hours and use the critical lane; users cannot opt out. Cannot be changed later.',
      }),
    ),
    default_channels: DefaultChannels,
    default_opt_in: Type.Optional(Type.Boolean()),
    push: Push,
  },
  {
    title: 'CategoryInput',
    examples: [{ key: 'product_news', name: 'Product news', default_channels: ['email', 'in_app'] }],
  },
);
export type CreateCategory = Static<typeof CreateCategory>;

export const ReplaceCategory = Type.Object(
  {
    name: Name,
    description: Description,
    default_channels: DefaultChannels,
    default_opt_in: Type.Boolean(),
    is_critical: Type.Optional(Type.Boolean({ description: 'Optional; must equal the current value.' })),
    is_archived: Type.Optional(
      Type.Boolean({ description: 'Set to false to restore an archived category. Unchanged if omitted.' }),
    ),
    push: Push,
  },
  {
    title: 'CategoryUpdate',
    examples: [
      { name: 'Product news', description: null, default_channels: ['email'], default_opt_in: true },
    ],
  },
);
export type ReplaceCategory = Static<typeof ReplaceCategory>;

export const Category = Type.Object(
  {
    id: Uuid,
    key: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    is_critical: Type.Boolean(),
    default_channels: Type.Array(OneOf(channels)),
    default_opt_in: Type.Boolean(),
    is_archived: Type.Boolean(),
    push: Nullable(RingSetting),
  },
  { title: 'Category' },
);
export type Category = Static<typeof Category>;

export const CategoryPage = PageOf(Category);
export const CategoryQuery = Type.Object({
  ...pageQuery,
  include_archived: Type.Optional(Type.Boolean()),
});
export const CategoryParams = Type.Object({ key: CategoryKey });

export const CellParams = Type.Object({
  externalUserId: ExternalUserId,
  categoryKey: CategoryKey,
  channel: Type.String(),
});

const preferenceSources = ['default', 'api', 'recipient', 'unsubscribe'] as const;
export type PreferenceSource = (typeof preferenceSources)[number];

export const Preference = Type.Object(
  {
    category_key: Type.String(),
    category_name: Type.String(),
    channel: OneOf(channels),
    opted_in: Type.Boolean(),
    source: OneOf(preferenceSources, {
      description:
        'The source of the value: the default of the category, the API, the recipient, or an unsubscribe link.',
    }),
    is_critical: Type.Boolean({ description: 'If true, sends of this category ignore opted_in.' }),
    updated_at: Nullable(
      Type.String({ format: 'date-time', description: 'When the preference was set; null for the default.' }),
    ),
  },
  { title: 'Preference' },
);
export type Preference = Static<typeof Preference>;

export const PreferenceMatrix = Type.Object({ data: Type.Array(Preference) });

const DescribedCategory = Type.Object({
  key: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  default_channels: Type.Array(OneOf(channels)),
});
export type DescribedCategory = Static<typeof DescribedCategory>;
export const DescribedMatrix = Type.Object({
  data: Type.Array(Preference),
  categories: Type.Array(DescribedCategory, {
    description: 'The names of the categories, for display.',
  }),
});

export const SetPreferences = Type.Object(
  {
    preferences: Type.Array(
      Type.Object({ category_key: CategoryKey, channel: OneOf(channels), opted_in: Type.Boolean() }),
      { maxItems: preferenceLimits.changes },
    ),
  },
  { examples: [{ preferences: [{ category_key: 'product_news', channel: 'email', opted_in: false }] }] },
);
export const SetPreference = Type.Object({ opted_in: Type.Boolean() }, { examples: [{ opted_in: false }] });

const LocalTime = Type.String({
  pattern: pattern('^([01][0-9]|2[0-3]):[0-5][0-9]$', 'a time from 00:00 to 23:59'),
  description: 'HH:MM',
});
export const QuietHoursBody = Type.Object(
  {
    start_local: LocalTime,
    end_local: LocalTime,
    timezone: Type.String({ maxLength: 64, description: 'An IANA time zone name.' }),
  },
  {
    title: 'QuietHours',
    examples: [{ start_local: '22:00', end_local: '07:00', timezone: 'Europe/Rome' }],
  },
);
export type QuietHoursBody = Static<typeof QuietHoursBody>;
