import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import type { InboxItem } from '../../channels/in-app/item.ts';
import { query, transaction } from '../../db/sql.ts';
import { newId } from '../../kernel/ids.ts';
import { type InboxEvent, insertItems, markItem, markItemsRead } from './changes-store.ts';
import { eraseInboxItems } from './eraser.ts';
import type { Owner } from './item.ts';
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
  | { kind: 'read' | 'unread' | 'archived' | 'erase'; item: number }
  | { kind: 'read_all'; limit: number };

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
      kind: fc.constantFrom('read' as const, 'unread' as const, 'archived' as const),
      item,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), item }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('read_all' as const), limit: fc.constantFrom(2, 100) }),
  },
);

interface ModelItem {
  read: boolean;
  archived: boolean;
}

/** The inbox as the rules say, told by its own log: what a client that saw every event believes. */
function replay(events: { type: InboxEvent; item_id: string | null }[]): Map<string, ModelItem> {
  const model = new Map<string, ModelItem>();
  for (const { type, item_id: id } of events) {
    const known = model.get(id ?? '');
    if (type === 'arrived') {
      expect(known, 'an item arrives once').toBe(undefined);
      model.set(id ?? '', { read: false, archived: false });
      continue;
    }
    if (!known) throw new Error(`${type} of an item that is not there`);
    if (type === 'deleted') model.delete(id ?? '');
    else if (type === 'archived') known.archived = true;
    else known.read = type === 'read';
  }
  return model;
}

const unreadIn = (model: Map<string, ModelItem>): number =>
  [...model.values()].filter(({ read, archived }) => !read && !archived).length;

function newItem(owner: Owner, id: string): InboxItem {
  return { ...owner, id, subject: 's', htmlBody: '<p>x</p>', textBody: null, actionUrl: null, data: {} };
}

async function take(owner: Owner, ids: string[], action: Step): Promise<void> {
  const now = new Date();
  await transaction(database.pool, async (tx) => {
    if (action.kind === 'arrive') {
      // In one transaction with the items of somebody else, as a dispatcher's batch is.
      const mine = action.items.map((number) => newItem(owner, ids[number] ?? ''));
      await insertItems(
        tx,
        [...mine, newItem({ ...owner, externalUserId: 'bystander' }, newId())],
        now.getTime(),
      );
    } else if (action.kind === 'erase') {
      await eraseInboxItems(tx, [{ environmentId: owner.environmentId, id: ids[action.item] ?? '' }]);
    } else if (action.kind === 'read_all') {
      await markItemsRead(tx, owner, null, action.limit, now);
    } else {
      await markItem(tx, owner, ids[action.item] ?? '', action.kind, now);
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
          const rows = await query<{ id: string; read: boolean; archived: boolean }>(
            database.pool,
            'select id, read_at is not null as read, archived_at is not null as archived from inbox_items where external_user_id = $1',
            [owner.externalUserId],
          );
          expect(new Map(rows.map(({ id, read, archived }) => [id, { read, archived }]))).toEqual(model);

          const page = { before: null, limit: 100 };
          const feed = await findFeed(database.pool, owner, 'all', page);
          expect(await findUnreadCount(database.pool, owner)).toBe(unreadIn(model));
          expect(feed.unread).toBe(unreadIn(model));
          expect(feed.items.filter((row) => row.read_at === null).length).toBe(unreadIn(model));
          expect((await findFeed(database.pool, owner, 'unread', page)).items.length).toBe(unreadIn(model));
          expect((await findFeed(database.pool, owner, 'read', page)).items.length).toBe(
            feed.items.length - unreadIn(model),
          );
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
      markItemsRead(tx, owner, null, 10_000, new Date()),
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
