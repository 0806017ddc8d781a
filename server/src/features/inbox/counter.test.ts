import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts';
import type { InboxItem } from '../../channels/delivery-plan.ts';
import { query, transaction } from '../../db/sql.ts';
import { newId } from '../../kernel/ids.ts';
import { markItems } from './bulk-store.ts';
import { type InboxEvent, insertItems, markItem } from './changes-store.ts';
import { eraseInboxItems } from './eraser.ts';
import type { Owner } from './item.ts';
import { returnItems } from './return-job.ts';
import { findFeed, findUnreadCount } from './store.ts';

let database: TestDatabase;
const environmentId = newId();
beforeAll(async () => {
  database = await createTestDatabase();
  const organization = newId();
  await query(database.pool, `insert into organizations (id, name, plan) values ($1, 'o', 'unmetered')`, [
    organization,
  ]);
  await query(
    database.pool,
    `insert into environments (id, organization_id, kind, name) values ($1, $2, 'test', 'Test')`,
    [environmentId, organization],
  );
});
afterAll(() => database.drop());

/** `item` is one of the ten items of the user, by number; some may not have arrived yet. */
type Step =
  | { kind: 'arrive'; items: number[] }
  | {
      kind: 'read' | 'unread' | 'archived' | 'erase' | 'snoozed' | 'returned' | 'acted' | 'due';
      item: number;
    }
  | { kind: 'read_all' | 'archive_all'; limit: number; tag: string | null };

const item = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('arrive' as const),
      items: fc.uniqueArray(item, { maxLength: 5 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['read', 'unread', 'archived', 'snoozed', 'snoozed', 'returned', 'acted', 'due'] as const),
      ),
      item,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), item }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('read_all' as const, 'archive_all' as const),
      limit: fc.constantFrom(2, 100),
      tag: fc.constantFrom(null, 'even'),
    }),
  },
);

interface ModelItem {
  read: boolean;
  archived: boolean;
  snoozed: boolean;
}

/** The inbox as the rules say, told by its own log: what a client that saw every event believes. */
function replay(events: { type: InboxEvent; item_id: string | null }[]): Map<string, ModelItem> {
  const model = new Map<string, ModelItem>();
  for (const { type, item_id: id } of events) {
    const known = model.get(id ?? '');
    if (type === 'arrived') {
      expect(known, 'an item arrives once').toBe(undefined);
      model.set(id ?? '', { read: false, archived: false, snoozed: false });
      continue;
    }
    if (!known) throw new Error(`${type} of an item that is not there`);
    if (type === 'deleted') model.delete(id ?? '');
    else if (type === 'archived') Object.assign(known, { archived: true, snoozed: false });
    else if (type === 'snoozed') Object.assign(known, { read: true, archived: false, snoozed: true });
    else if (type === 'returned') {
      expect(known.snoozed, 'only a snoozed item returns').toBe(true);
      Object.assign(known, { read: false, snoozed: false });
    } else known.read = type !== 'unread';
  }
  return model;
}

const unreadIn = (model: Map<string, ModelItem>): number =>
  [...model.values()].filter(({ read, archived }) => !read && !archived).length;

function newItem(owner: Owner, id: string, tags: string[] = []): InboxItem {
  const text = { subject: 's', htmlBody: '<p>x</p>', textBody: null, actionUrl: null, data: {} };
  return { ...owner, id, ...text, category: null, tags, actions: [] };
}

/** The work of the snooze that an item has now, as the queue would bring it. */
async function dueReturn(id: string): Promise<{ id: string; snoozeId: string; position: string }[]> {
  const rows = await query<{ snooze_id: string }>(
    database.pool,
    'select snooze_id from inbox_items where id = $1 and snooze_id is not null',
    [id],
  );
  return rows.map(({ snooze_id: snoozeId }) => ({ id, snoozeId, position: newId() }));
}

const valuesOf: Record<string, () => unknown[]> = {
  snoozed: () => [new Date(Date.now() + 60_000), newId()],
  returned: () => [newId()],
  acted: () => ['ok'],
};

const everything = { ids: null, before: null, isRead: false };

async function take(owner: Owner, ids: string[], action: Step): Promise<void> {
  const now = new Date();
  // The id of the snooze is read before the lock, and may be out of date: as the work of a snooze that was replaced.
  const due = action.kind === 'due' ? await dueReturn(ids[action.item] ?? '') : [];
  await transaction(database.pool, async (tx) => {
    if (action.kind === 'arrive') {
      // In one transaction with the items of somebody else, as a dispatcher's batch is.
      const mine = action.items.map((number) =>
        newItem(owner, ids[number] ?? '', number % 2 ? [] : ['even']),
      );
      await insertItems(
        tx,
        [...mine, newItem({ ...owner, externalUserId: 'bystander' }, newId())],
        now.getTime(),
      );
    } else if (action.kind === 'erase') {
      await eraseInboxItems(tx, [{ environmentId: owner.environmentId, id: ids[action.item] ?? '' }]);
    } else if ('limit' in action) {
      const event = action.kind === 'read_all' ? 'read' : 'archived';
      const filter = { ...everything, tag: action.tag };
      await markItems(tx, owner, event, filter, { after: null, limit: action.limit }, now);
    } else if (action.kind === 'due') {
      await returnItems(tx, due, now);
    } else {
      await markItem(tx, owner, ids[action.item] ?? '', action.kind, now, valuesOf[action.kind]?.());
    }
  });
}

describe('the unread count', () => {
  test('is what the items say, and the log tells their story, whatever happens at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.nat({ max: 7 }),
        async (steps, width) => {
          const owner: Owner = { environmentId, externalUserId: newId() };
          const ids = Array.from({ length: 10 }, () => newId());
          const waiting = [...steps];
          const worker = async (): Promise<void> => {
            for (let next = waiting.shift(); next; next = waiting.shift()) await take(owner, ids, next);
          };
          await Promise.all(Array.from({ length: width + 1 }, worker));

          const events = await query<{ seq: string; type: InboxEvent; item_id: string | null }>(
            database.pool,
            'select seq, type, item_id from inbox_events where external_user_id = $1 order by seq',
            [owner.externalUserId],
          );
          const [inbox] = await query<{ last_seq: string }>(
            database.pool,
            'select last_seq from inboxes where external_user_id = $1',
            [owner.externalUserId],
          );
          const first = Number(events[0]?.seq ?? 0);
          expect(
            events.map(({ seq }) => Number(seq)),
            'no number is missing',
          ).toEqual(events.map((_event, index) => first + index));
          if (inbox && events.length > 0) expect(Number(inbox.last_seq)).toBe(first + events.length - 1);

          const model = replay(events);
          const rows = await query<ModelItem & { id: string }>(
            database.pool,
            `select id, read_at is not null as read, archived_at is not null as archived, snoozed_until is not null as snoozed
             from inbox_items where external_user_id = $1`,
            [owner.externalUserId],
          );
          expect(new Map(rows.map(({ id, ...state }) => [id, state]))).toEqual(model);

          const page = { before: null, limit: 100 };
          const feed = await findFeed(database.pool, owner, 'all', page);
          expect(await findUnreadCount(database.pool, owner)).toBe(unreadIn(model));
          expect(feed.unread).toBe(unreadIn(model));
          expect(feed.items.filter((row) => row.read_at === null).length).toBe(unreadIn(model));
          expect((await findFeed(database.pool, owner, 'unread', page)).items.length).toBe(unreadIn(model));
          expect((await findFeed(database.pool, owner, 'read', page)).items.length).toBe(
            feed.items.length - unreadIn(model),
          );
          const snoozed = [...model.values()].filter((item) => item.snoozed).length;
          expect((await findFeed(database.pool, owner, 'snoozed', page)).items.length).toBe(snoozed);
          const shown = [...model.values()].filter((item) => !item.snoozed && !item.archived).length;
          expect(feed.items.length).toBe(shown);
        },
      ),
      { numRuns: 150 },
    );
  }, 120_000);

  test('a hundred readers of one item count it once', async () => {
    const owner: Owner = { environmentId, externalUserId: newId() };
    const ids = [newId(), newId()];
    await take(owner, ids, { kind: 'arrive', items: [0, 1] });
    await Promise.all(Array.from({ length: 100 }, () => take(owner, ids, { kind: 'read', item: 0 })));
    expect(await findUnreadCount(database.pool, owner)).toBe(1);
  });

  test('of ten thousand items marked read at once is zero, and the log says so in one event', async () => {
    const owner: Owner = { environmentId, externalUserId: newId() };
    await transaction(database.pool, (tx) =>
      insertItems(
        tx,
        Array.from({ length: 10_000 }, () => newItem(owner, newId())),
        Date.now(),
      ),
    );
    expect(await findUnreadCount(database.pool, owner)).toBe(10_000);
    const began = Date.now();
    const { marked, firstRead } = await transaction(database.pool, (tx) =>
      markItems(tx, owner, 'read', everything, { after: null, limit: 10_000 }, new Date()),
    );
    expect([marked, new Set(firstRead).size]).toEqual([10_000, 10_000]);
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(await findUnreadCount(database.pool, owner)).toBe(0);
    const events = await query(
      database.pool,
      `select type from inbox_events where external_user_id = $1 and type <> 'arrived'`,
      [owner.externalUserId],
    );
    expect(events).toEqual([{ type: 'reset' }]);
  });
});
