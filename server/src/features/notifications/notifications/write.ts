import { type Pool, type Sql, statement, transaction } from '../../../db/sql.ts';
import { textArray } from '../../../db/text-array.ts';
import type { Deps } from '../../../deps.ts';
import type { Problem } from '../../../kernel/errors.ts';
import { enqueueSql, lanes, type Queue } from '../../../queue/index.ts';
import { countSendsSql, hasLimit, lockPlans, monthOf, refuseBeyondPlan } from '../../control/usage/index.ts';
import { rememberAddressesSql } from '../../people/users/index.ts';
import {
  claimKeysSql,
  insertKeysSql,
  isKnownKey,
  listKnownKeys,
  nameOfKey,
} from '../../platform/idempotency/index.ts';
import { markStored } from '../../platform/objects/index.ts';
import type { Acceptance } from './accept.ts';
import { templateDataJson } from './content.ts';

/** True when written, false when the Idempotency-Key was seen before, a Problem when the plan has no room for it. */
export type WrittenNotification = boolean | Problem;

/**
 * Writes a batch: the notifications, their jobs, the usage of the plan and new addresses of users. All of it or nothing, and
 * the number of statements does not depend on the size of the batch.
 */
export function createWrite({
  pool,
  queue,
}: Pick<Deps, 'pool' | 'queue'>): (acceptances: Acceptance[]) => Promise<WrittenNotification[]> {
  const insert = createInsert(queue);

  return async (acceptances) => {
    const firstOfEach = firstOfEachKey(acceptances);
    const { refused, left } = await write(
      firstOfEach === acceptances ? acceptances : [...new Set(firstOfEach)],
    );
    queue.ring('notification');
    if (firstOfEach === acceptances && refused.size + left.size === 0) return acceptances.map(() => true);
    return firstOfEach.map((first, index) => {
      const { id } = first.row;
      return refused.get(id) ?? (first === acceptances[index] && !left.has(id));
    });
  };

  async function write(acceptances: Acceptance[]): Promise<WrittenBatch> {
    const limited = acceptances.filter(({ meter }) => meter && hasLimit(meter));
    const hasLargeContent = acceptances.some(({ bytes, uploaded }) => bytes.length > 0 || uploaded);
    if (limited.length === 0 && !hasLargeContent)
      return { refused: new Map(), left: await insert(pool, acceptances) };

    return transaction(pool, async (tx) => {
      const refused = await refuse(tx, limited);
      const taken = acceptances.filter(({ row }) => !refused.has(row.id));
      const left = await insertAcceptances(tx, queue, taken);
      await insertLargeContent(
        tx,
        taken.filter(({ row }) => !left.has(row.id)),
      );
      return { refused, left };
    });
  }
}

interface WrittenBatch {
  refused: Map<string, Problem>;
  /** Notifications that were skipped because of their Idempotency-Key. */
  left: Set<string>;
}

/** A replay gets its first answer even when the plan is used up, so the keys are checked under the lock. */
async function refuse(tx: Sql, limited: Acceptance[]): Promise<Map<string, Problem>> {
  if (limited.length === 0) return new Map();
  await lockPlans(
    tx,
    limited.flatMap(({ meter }) => meter ?? []),
  );
  const known = await listKnownKeys(
    tx,
    limited.flatMap(({ keyClaim }) => keyClaim ?? []),
  );
  return refuseBeyondPlan(
    tx,
    limited.flatMap(({ meter, keyClaim }) =>
      meter && !(keyClaim && known.has(nameOfKey(keyClaim))) ? meter : [],
    ),
  );
}

/** Maps each acceptance to the first one with the same key, whose outcome it shares. */
function firstOfEachKey(acceptances: Acceptance[]): Acceptance[] {
  const keys = new Set(acceptances.map(({ row, keyClaim }) => keyClaim?.key ?? row.id));
  if (keys.size === acceptances.length) return acceptances; // nearly always the case, and cheap to check

  const firstOfEachKey = new Map<string, Acceptance>();
  return acceptances.map((acceptance) => {
    const name = acceptance.keyClaim ? nameOfKey(acceptance.keyClaim) : acceptance.row.id;
    const first = firstOfEachKey.get(name) ?? acceptance;
    firstOfEachKey.set(name, first);
    return first;
  });
}

type Column = [type: string, read: (acceptance: Acceptance) => string | null];

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const time = (value: Date | null): string | null => value?.toISOString() ?? null;

/**
 * The columns of `notifications` that differ from their defaults, and how they are read from an acceptance. The event Queued is not
 * stored (history.ts).
 */
const notificationColumns: Record<string, Column> = {
  id: ['uuid', ({ row }) => row.id],
  environment_id: ['uuid', ({ row }) => row.environment_id],
  channel: ['text', ({ row }) => row.channel],
  status: ['text', ({ row }) => row.status],
  priority: ['text', ({ row }) => row.priority],
  address: ['text', ({ row }) => row.address],
  recipient_name: ['text', ({ row }) => row.recipient_name],
  external_user_id: ['text', ({ row }) => row.external_user_id],
  category: ['text', ({ row }) => row.category],
  template_key: ['text', ({ row }) => row.template_key],
  idempotency_key: ['text', ({ row }) => row.idempotency_key],
  action_url: ['text', ({ row }) => row.action_url],
  resent_from: ['uuid', ({ row }) => row.resent_from],
  connection_id: ['uuid', ({ row }) => row.connection_id],
  source_id: ['uuid', ({ row }) => row.source_id],
  chain: ['text', ({ row }) => row.chain],
  send_at: ['timestamptz', ({ row }) => time(row.send_at)],
};

/** The columns of `notification_contents`, likewise. */
const content: Record<string, Column> = {
  subject: ['text', (acceptance) => acceptance.content.subject],
  html_body: ['text', (acceptance) => acceptance.content.html_body],
  text_body: ['text', (acceptance) => acceptance.content.text_body],
  template_data: ['jsonb', (acceptance) => templateDataJson(acceptance.content.template_data)],
  from_name: ['text', (acceptance) => acceptance.content.from_name],
  reply_to: ['text', (acceptance) => acceptance.content.reply_to],
  inbox_extras: ['jsonb', (acceptance) => json(acceptance.content.inbox_extras)],
  attachments: ['jsonb', (acceptance) => json(acceptance.content.attachments)],
  template_version_id: ['uuid', (acceptance) => acceptance.content.template_version_id],
  inline_format: ['text', (acceptance) => acceptance.content.inline_format],
  template_locale: ['text', (acceptance) => acceptance.content.template_locale],
  structured: ['json', (acceptance) => json(acceptance.content.structured)],
  rendered_at: ['timestamptz', (acceptance) => time(acceptance.content.rendered_at)],
};

/** Columns that the other parts of the statement use. */
const writeColumns: Record<string, Column> = {
  lane: ['smallint', ({ row }) => String(lanes[row.priority])],
  operation: ['text', ({ keyClaim }) => keyClaim?.operation ?? null],
  body_hash: ['text', ({ keyClaim }) => keyClaim?.bodyHash ?? null],
  organization_id: ['uuid', ({ meter }) => meter?.organizationId ?? null],
  month: ['date', ({ meter }) => meter && monthOf(meter.at)],
  is_pair: ['boolean', ({ pair }) => pair && 'true'],
};

/** The columns of contents whose bodies are in the object store. A statement of their own keeps the usual one short. */
const contentOfObjects: Record<string, Column> = {
  ...content,
  html_body: ['text', ({ content, uploaded }) => (uploaded?.bodyId ? null : content.html_body)],
  text_body: ['text', ({ content, uploaded }) => (uploaded?.bodyId ? null : content.text_body)],
  body_object: ['uuid', ({ uploaded }) => uploaded?.bodyId ?? null],
};

const columnsWith = (contents: Record<string, Column>): [name: string, column: Column][] =>
  Object.entries({ ...notificationColumns, ...contents, ...writeColumns });

const columns = columnsWith(content);
const columnsOfObjects = columnsWith(contentOfObjects);
const notificationColumnList = Object.keys(notificationColumns).join(', ');

/**
 * Writes everything about any number of accepted notifications in one statement: one round trip, columns as arrays that need no
 * parsing, and no transaction when nothing else is to be written. That costs half as much as the same writes in separate
 * statements. `taken` selects the notifications to write. The last parts are executed first (see `enqueueSteps`): contended
 * rows are locked at the end, and `keys` fails before anything else is done.
 */
const insertSql = (taken: string, keys = '', contents = content): string => {
  const columns = columnsWith(contents);
  const contentColumns = Object.keys(contents).join(', ');
  return `
   with input as materialized (
     select ${columns.map(([name, [type]]) => (type === 'text' ? name : `${name}::${type}`)).join(', ')}, tag
     from unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')}, $${columns.length + 1}::bigint[])
       as given (${columns.map(([name]) => name).join(', ')}, tag)
   ),
   ${taken},
   ${enqueueSql('notification', '(select id, lane, environment_id, send_at as run_at, tag from taken) work', `$${columns.length + 2}`)},
   counted as (${countSendsSql('(select * from taken where organization_id is not null) sends')}),
   pairs as (${rememberAddressesSql('(select * from taken where is_pair) pairs')}),
   inserted as (
     insert into notifications (${notificationColumnList}) select ${notificationColumnList} from taken
   ),
   contents as (
     insert into notification_contents (notification_id, ${contentColumns}) select id, ${contentColumns} from taken
   )${keys}
   select id from input except select id from taken`;
};

const claims =
  '(select *, idempotency_key as key, id as resource_id from input where operation is not null) claims';

const takenWithNewKey = `
   fresh as (${claimKeysSql(claims)}),
   taken as materialized (
     select * from input where operation is null or id in (select resource_id from fresh)
   )`;

/** Skips and returns notifications whose Idempotency-Key is taken. */
const insert = statement<{ id: string }>('notifications_insert', insertSql(takenWithNewKey));

/** The same for notifications of which some have their bodies in the object store. */
const insertWithObjects = statement<{ id: string }>(
  'notifications_insert_with_objects',
  insertSql(takenWithNewKey, '', contentOfObjects),
);

/** Fails when an Idempotency-Key is taken. */
const insertNew = statement(
  'notifications_insert_new',
  insertSql('taken as (select * from input)', `, keys as (${insertKeysSql(claims)})`),
);

const insertBytes = statement(
  'notifications_insert_bytes',
  'insert into attachment_bytes (notification_id, position, bytes) values ($1, $2, $3)',
);

type Tagger = Pick<Queue, 'tagsFor'>;

function valuesOf(queue: Tagger, acceptances: Acceptance[], given = columns): unknown[] {
  const { tags, lows } = queue.tagsFor(
    acceptances.map(({ row }) => ({
      kind: 'notification',
      lane: row.priority,
      environmentId: row.environment_id,
    })),
  );
  return [...given.map(([, [, read]]) => textArray(acceptances.map(read))), tags, lows];
}

/** Returns the ids that were not written because their Idempotency-Key is taken. Each key may occur once. */
export async function insertAcceptances(
  sql: Sql,
  queue: Tagger,
  acceptances: Acceptance[],
): Promise<Set<string>> {
  if (acceptances.length === 0) return new Set();
  const rows = acceptances.some(({ uploaded }) => uploaded?.bodyId)
    ? await insertWithObjects(sql, valuesOf(queue, acceptances, columnsOfObjects))
    : await insert(sql, valuesOf(queue, acceptances));
  return new Set(rows.map(({ id }) => id));
}

/** The time after a key conflict during which more of them are expected. */
const conflictCheckWindowMs = 1_000;

/**
 * Inserts outside of a transaction. Keys hardly ever repeat, and checking for a conflict makes the write cost twice as much: so
 * keys are assumed to be new until one is not. The failed write is repeated with the conflict check, which stays on for a
 * while, so that a caller who repeats requests all day costs one failed statement a second.
 */
function createInsert(queue: Tagger): (pool: Pool, acceptances: Acceptance[]) => Promise<Set<string>> {
  let conflictCheckUntil = 0;
  return async (pool, acceptances) => {
    if (performance.now() < conflictCheckUntil) return insertAcceptances(pool, queue, acceptances);
    try {
      await insertNew(pool, valuesOf(queue, acceptances));
      return new Set();
    } catch (error) {
      if (!isKnownKey(error)) throw error;
      conflictCheckUntil = performance.now() + conflictCheckWindowMs;
      return insertAcceptances(pool, queue, acceptances);
    }
  };
}

/** Writes what does not fit into the statement of the notifications: attachments, and that their objects are stored. */
export async function insertLargeContent(tx: Sql, acceptances: Acceptance[]): Promise<void> {
  const uploaded = acceptances.flatMap((acceptance) => acceptance.uploaded?.ids ?? []);
  await Promise.all([
    ...acceptances.flatMap(({ row, bytes, uploaded }) =>
      uploaded ? [] : bytes.map((file, position) => insertBytes(tx, [row.id, position, file])),
    ),
    markStored(tx, uploaded),
  ]);
}
