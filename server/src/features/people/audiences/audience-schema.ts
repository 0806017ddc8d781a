import { type Static, Type } from 'typebox';
import { JsonObject, Nullable } from '../../../http/schema.ts';
import { TopicKey } from './schema.ts';

/** Limits on one filter. */
export const filterLimits = { values: 100, topics: 20, attributes: 20 } as const;

const Topics = (description: string) =>
  Type.Optional(Nullable(Type.Array(TopicKey, { maxItems: filterLimits.topics, description })));
const Texts = (maxLength: number, description: string) =>
  Type.Optional(
    Nullable(
      Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems: filterLimits.values, description }),
    ),
  );

export const Filter = Type.Object(
  {
    locales: Texts(35, 'One of these languages; `pt` also matches `pt-BR`.'),
    timezones: Texts(64, 'One of these IANA time zones.'),
    topics_any: Topics('Follows at least one of these topics.'),
    topics_all: Topics('Follows all of these topics.'),
    topics_none: Topics('Follows none of these topics.'),
    attributes: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, unknown>>({
          ...JsonObject,
          description: `The value of each attribute, or a list of which one must match: \`{"plan": ["pro", "team"], "is_admin": true}\`.`,
        }),
      ),
    ),
  },
  {
    title: 'AudienceFilter',
    description: 'Users who meet every condition. A condition that is left out or empty holds for everybody.',
  },
);
export type Filter = Static<typeof Filter>;

export const Audience = Type.Object(
  {
    topic: Type.Optional(Nullable(TopicKey)),
    filter: Type.Optional(Nullable(Filter)),
    all: Type.Optional(Nullable(Type.Boolean({ description: 'All users of the environment.' }))),
    confirm: Type.Optional(
      Nullable(
        Type.Boolean({ description: 'Required for an audience that is everybody, by `all` or by a filter.' }),
      ),
    ),
  },
  {
    title: 'Audience',
    description: 'One of `topic`, `filter` and `all`.',
    examples: [{ topic: 'release_notes' }],
  },
);
export type Audience = Static<typeof Audience>;

export const AudiencePreviewRequest = Type.Object(
  { audience: Audience },
  { examples: [{ audience: { topic: 'release_notes' } }] },
);

export const AudiencePreview = Type.Object(
  {
    count: Type.Integer(),
    is_capped: Type.Boolean({ description: 'Counting took too long: there are at least `count` users.' }),
    sample: Type.Array(Type.String(), { description: 'The `external_user_id` of up to five of them.' }),
  },
  { title: 'AudiencePreview' },
);
export type AudiencePreview = Static<typeof AudiencePreview>;
