import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { invalidParameter, notFound, Problem } from '../../../kernel/errors.ts';
import { idTime, newId } from '../../../kernel/ids.ts';
import { decodeOffset, type Page, pageByOffset } from '../../../kernel/page.ts';
import { isoTime } from '../../../kernel/time-zone.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import {
  type CreateTopic,
  type ReplaceTopic,
  type SubscriberQuery,
  type Topic,
  topicLimits,
} from './schema.ts';
import {
  countTopics,
  deleteSubscribers,
  findTopic,
  insertSubscribers,
  insertTopic,
  listSubscribers,
  lockTopic,
  markDeleted,
  type SubscriberRow,
  type TopicRow,
  updateTopic,
} from './store.ts';

export interface TopicService {
  create(caller: Caller, body: CreateTopic): Promise<Topic>;
  get(principal: Principal, key: string): Promise<Topic>;
  replace(caller: Caller, key: string, body: ReplaceTopic): Promise<Topic>;
  delete(caller: Caller, key: string): Promise<void>;
  subscribers(principal: Principal, key: string, query: SubscriberQuery): Promise<Page<SubscriberRow>>;
  /** Returns the number of users who did not follow the topic before. */
  subscribe(principal: Principal, key: string, externalUserIds: string[]): Promise<number>;
  /** Returns the number of users who followed the topic. */
  unsubscribe(principal: Principal, key: string, externalUserIds: string[]): Promise<number>;
}

export function createTopicService({
  pool,
  listReads,
  clock,
}: Pick<Deps, 'pool' | 'listReads' | 'clock'>): TopicService {
  async function getTopic({ environmentId }: Principal, key: string): Promise<TopicRow> {
    const row = await findTopic(pool, environmentId, key);
    if (!row) throw notFound('topic');
    return row;
  }

  return {
    create(caller, body) {
      const { environmentId } = caller.principal;
      return transaction(pool, async (tx) => {
        if ((await countTopics(tx, environmentId)) >= topicLimits.topics)
          throw invalidParameter('key', `An environment can have at most ${topicLimits.topics} topics.`);
        const row = await insertTopic(tx, {
          id: newId(clock()),
          environment_id: environmentId,
          key: body.key,
          name: body.name,
          description: body.description ?? null,
        });
        if (!row)
          throw new Problem('duplicate_key', `A topic with the key ${body.key} already exists.`, {
            param: 'key',
          });
        await recordAudit(tx, caller, {
          action: 'topic.created',
          target: `topic:${row.key}`,
          after: viewOf(row),
        });
        return viewOf(row);
      });
    },

    async get(principal, key) {
      return viewOf(await getTopic(principal, key));
    },

    replace(caller, key, { name, description = null }) {
      return transaction(pool, async (tx) => {
        const before = await lockTopic(tx, caller.principal.environmentId, key);
        if (!before) throw notFound('topic');
        const after = await updateTopic(tx, { ...before, name, description });
        await recordAudit(tx, caller, {
          action: 'topic.updated',
          target: `topic:${key}`,
          before: viewOf(before),
          after: viewOf(after),
        });
        return viewOf(after);
      });
    },

    delete(caller, key) {
      return transaction(pool, async (tx) => {
        const before = await lockTopic(tx, caller.principal.environmentId, key);
        if (!before) throw notFound('topic');
        await markDeleted(tx, before.id);
        await recordAudit(tx, caller, {
          action: 'topic.deleted',
          target: `topic:${key}`,
          before: viewOf(before),
        });
      });
    },

    async subscribers(principal, key, { cursor, limit = 20 }) {
      const { id } = await getTopic(principal, key);
      const list = `subscribers:${id}`;
      const after = cursor === undefined ? '' : decodeOffset(list, cursor, readUserId);
      const rows = await listReads.read(principal.id, (sql) => listSubscribers(sql, id, { after, limit }));
      return pageByOffset(list, rows, limit, ({ external_user_id }) => external_user_id);
    },

    async subscribe(principal, key, externalUserIds) {
      return insertSubscribers(pool, await getTopic(principal, key), externalUserIds);
    },

    async unsubscribe(principal, key, externalUserIds) {
      return deleteSubscribers(pool, (await getTopic(principal, key)).id, externalUserIds);
    },
  };
}

const readUserId = (text: string): string | null => (/^\P{Cc}{1,255}$/u.test(text) ? text : null);

export function viewOf({ id, key, name, description, subscriber_count }: TopicRow): Topic {
  return { id, key, name, description, subscriber_count, created_at: isoTime(idTime(id)) };
}
