import { type Static, Type } from 'typebox';
import { DateTime, JsonObject, Nullable, PageOf, pageQuery, Search, Uuid } from '../../../http/schema.ts';
import { dottedKey, oneLine } from '../../../kernel/patterns.ts';
import { ExternalUserId } from '../users/index.ts';

export const topicLimits = {
  name: 200,
  description: 1_000,
  topics: 1_000,
  subscribersPerCall: 10_000,
  subscriberBodyBytes: 4 * 1_048_576,
} as const;

/** The key of a topic, in bodies and in paths. */
const TopicKey = Type.String({ pattern: dottedKey });
const Name = Type.String({ minLength: 1, maxLength: topicLimits.name, pattern: oneLine });
const Description = Type.Optional(Nullable(Type.String({ maxLength: topicLimits.description })));

export const CreateTopic = Type.Object(
  { key: TopicKey, name: Name, description: Description },
  { title: 'TopicInput', examples: [{ key: 'release_notes', name: 'Release notes' }] },
);
export type CreateTopic = Static<typeof CreateTopic>;

export const ReplaceTopic = Type.Object(
  { name: Name, description: Description },
  {
    title: 'TopicUpdate',
    examples: [{ name: 'Release notes', description: 'What changed in each version' }],
  },
);
export type ReplaceTopic = Static<typeof ReplaceTopic>;

export const Topic = Type.Object(
  {
    id: Uuid,
    key: Type.String(),
    name: Type.String(),
    description: Nullable(Type.String()),
    subscriber_count: Type.Integer(),
    created_at: DateTime,
  },
  { title: 'Topic' },
);
export type Topic = Static<typeof Topic>;

export const TopicPage = PageOf(Topic);
export const TopicQuery = Type.Object({
  ...pageQuery,
  search: Search('A part of the key or the name, case-insensitive.'),
});
export const TopicParams = Type.Object({ key: TopicKey });
export const SubscriberParams = Type.Object({ key: TopicKey, externalUserId: ExternalUserId });

export const SubscriberQuery = Type.Object({
  ...pageQuery,
  cursor: Type.Optional(Type.String({ maxLength: 2000 })), // it contains an external_user_id
});
export type SubscriberQuery = Static<typeof SubscriberQuery>;

const Subscriber = Type.Object(
  { external_user_id: Type.String(), subscribed_at: DateTime },
  { title: 'TopicSubscriber' },
);
export const SubscriberPage = PageOf(Subscriber);

export const SubscriberIds = Type.Object(
  {
    external_user_ids: Type.Array(ExternalUserId, { minItems: 1, maxItems: topicLimits.subscribersPerCall }),
  },
  { title: 'TopicSubscribers', examples: [{ external_user_ids: ['ada', 'grace'] }] },
);

export const SubscribersAdded = Type.Object({
  added: Type.Integer({ description: 'Users who did not follow the topic before.' }),
});
export const SubscribersRemoved = Type.Object({
  removed: Type.Integer({ description: 'Users who followed the topic.' }),
});

export const UserTopics = Type.Object({
  data: Type.Array(
    Type.Object({ key: Type.String(), name: Type.String(), subscribed_at: DateTime }, { title: 'UserTopic' }),
  ),
});

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
