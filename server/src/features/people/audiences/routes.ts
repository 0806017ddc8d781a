import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/route.ts';
import { pageOf, pageRequest } from '../../../kernel/page.ts';
import { UserParams } from '../users/index.ts';
import { readAudience } from './filter.ts';
import { checkTopics, countAudience, firstMember, listMembers } from './members.ts';
import {
  AudiencePreview,
  AudiencePreviewRequest,
  CreateTopic,
  type AudiencePreview as Preview,
  ReplaceTopic,
  SubscriberIds,
  SubscriberPage,
  SubscriberParams,
  SubscriberQuery,
  SubscribersAdded,
  SubscribersRemoved,
  Topic,
  TopicPage,
  TopicParams,
  TopicQuery,
  topicLimits,
  UserTopics,
} from './schema.ts';
import { listTopics, listTopicsOfUser } from './store.ts';
import { type TopicService, viewOf } from './topics-service.ts';

const tag = 'Topics';
const countWithinMs = 5_000;

export function audienceRoutes({
  pool,
  topics,
  clock,
}: Pick<Deps, 'pool' | 'clock'> & {
  topics: TopicService;
}): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/topics',
      operation: 'createTopic',
      tag,
      summary: 'Create a topic',
      description: 'Something that users can follow, and that a broadcast can be sent to.',
      access: 'audiences:write',
      body: CreateTopic,
      responses: { 201: Topic },
      async handler({ principal, body, requestId }) {
        return { status: 201, body: await topics.create({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/topics',
      operation: 'listTopics',
      tag,
      summary: 'List topics, newest first',
      access: 'audiences:read',
      query: TopicQuery,
      responses: { 200: TopicPage },
      async handler({ principal, query }) {
        const list = `topics:${principal.environmentId}`;
        const page = pageRequest(list, query);
        const rows = await listTopics(pool, principal.environmentId, query.search ?? null, page);
        const { data, next_cursor } = pageOf(list, rows, page.limit);
        return { status: 200, body: { data: data.map(viewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/topics/:key',
      operation: 'getTopic',
      tag,
      summary: 'Get a topic',
      access: 'audiences:read',
      params: TopicParams,
      responses: { 200: Topic },
      async handler({ principal, params }) {
        return { status: 200, body: await topics.get(principal, params.key) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/topics/:key',
      operation: 'replaceTopic',
      tag,
      summary: 'Change a topic',
      access: 'audiences:write',
      params: TopicParams,
      body: ReplaceTopic,
      responses: { 200: Topic },
      async handler({ principal, params, body, requestId }) {
        return { status: 200, body: await topics.replace({ principal, requestId }, params.key, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/topics/:key',
      operation: 'deleteTopic',
      tag,
      summary: 'Delete a topic',
      description:
        'Its subscribers are removed with it. A broadcast to the topic that is running ends early.',
      access: 'audiences:write',
      params: TopicParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        await topics.delete({ principal, requestId }, params.key);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/topics/:key/subscribers',
      operation: 'listTopicSubscribers',
      tag,
      summary: 'List the users who follow a topic',
      access: 'audiences:read',
      params: TopicParams,
      query: SubscriberQuery,
      responses: { 200: SubscriberPage },
      async handler({ principal, params, query }) {
        const { data, next_cursor } = await topics.subscribers(principal, params.key, query);
        const subscribers = data.map((row) => ({ ...row, subscribed_at: row.subscribed_at.toISOString() }));
        return { status: 200, body: { data: subscribers, next_cursor } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/topics/:key/subscribers',
      operation: 'addTopicSubscribers',
      tag,
      summary: 'Add subscribers to a topic',
      description: `Up to ${topicLimits.subscribersPerCall.toLocaleString('en')} users. Users who follow the topic already stay as they are, so the call can be repeated. Users who are not stored yet are stored without an address.`,
      access: 'audiences:write',
      params: TopicParams,
      body: SubscriberIds,
      independentList: 'external_user_ids', // which allows for more values
      bodyLimit: topicLimits.subscriberBodyBytes,
      responses: { 200: SubscribersAdded },
      async handler({ principal, params, body }) {
        const added = await topics.subscribe(principal, params.key, body.external_user_ids);
        return { status: 200, body: { added } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/topics/:key/subscribers/remove',
      operation: 'removeTopicSubscribers',
      tag,
      summary: 'Remove subscribers from a topic',
      description: `Up to ${topicLimits.subscribersPerCall.toLocaleString('en')} users; those who do not follow the topic are ignored.`,
      access: 'audiences:write',
      params: TopicParams,
      body: SubscriberIds,
      independentList: 'external_user_ids', // which allows for more values
      bodyLimit: topicLimits.subscriberBodyBytes,
      responses: { 200: SubscribersRemoved },
      async handler({ principal, params, body }) {
        const removed = await topics.unsubscribe(principal, params.key, body.external_user_ids);
        return { status: 200, body: { removed } };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/topics/:key/subscribers/:externalUserId',
      operation: 'subscribeToTopic',
      tag,
      summary: 'Add one subscriber to a topic',
      access: 'audiences:write',
      params: SubscriberParams,
      responses: { 204: null },
      async handler({ principal, params }) {
        await topics.subscribe(principal, params.key, [params.externalUserId]);
        return { status: 204 };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/topics/:key/subscribers/:externalUserId',
      operation: 'unsubscribeFromTopic',
      tag,
      summary: 'Remove one subscriber from a topic',
      description: 'Returns 204 even if the user does not follow the topic.',
      access: 'audiences:write',
      params: SubscriberParams,
      responses: { 204: null },
      async handler({ principal, params }) {
        await topics.unsubscribe(principal, params.key, [params.externalUserId]);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/users/:externalUserId/topics',
      operation: 'listTopicsOfUser',
      tag,
      summary: 'List the topics that a user follows',
      access: 'audiences:read',
      params: UserParams,
      responses: { 200: UserTopics },
      async handler({ principal, params }) {
        const rows = await listTopicsOfUser(pool, principal.environmentId, params.externalUserId);
        const data = rows.map((row) => ({ ...row, subscribed_at: row.subscribed_at.toISOString() }));
        return { status: 200, body: { data } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/audiences/preview',
      operation: 'previewAudience',
      tag: 'Audiences',
      summary: 'Count the users of an audience',
      description:
        'For an audience of a broadcast before it exists. `POST /v1/broadcasts/dry-run` tells more.',
      access: 'audiences:read',
      body: AudiencePreviewRequest,
      responses: { 200: AudiencePreview },
      errors: ['topic_not_found'],
      async handler({ principal: { environmentId }, body }) {
        const filter = readAudience(body.audience);
        await checkTopics(pool, environmentId, filter);
        const until = clock() + countWithinMs;
        const [{ count, isCapped }, { result }] = await Promise.all([
          countAudience(pool, environmentId, filter, () => clock() > until),
          listMembers(pool, environmentId, filter, { after: firstMember, limit: 5 }),
        ]);
        const sample = result.map((member) => member.external_user_id);
        const preview: Preview = { count, is_capped: isCapped, sample };
        return { status: 200, body: preview };
      },
    }),
  ];
}
