import { type Pool, type Sql, statement } from '../../db/sql.ts';
import { textArray } from '../../db/text-array.ts';
import { claimKeysSql, insertKeysSql, isKnownKey } from '../../http/idempotency.ts';
import { enqueueSql, lanes } from '../../queue/index.ts';
import { countSendsSql, monthOf } from '../usage/index.ts';
import { rememberAddressesSql } from '../users/index.ts';
import { type Acceptance, templateDataJson } from './accept.ts';

type Column = [type: string, read: (acceptance: Acceptance) => string | null];

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** The same, of a value that has often just been asked for. */
function createSameJson(): (value: unknown) => string | null {
  let last: { value: unknown; text: string | null } = { value: null, text: null };
  return (value) => {
    if (last.value !== value) last = { value, text: json(value) };
    return last.text;
  };
}
const eventsJson = createSameJson();

const time = (value: Date | null): string | null => value?.toISOString() ?? null;

/** The columns of `notifications` that are not what a new row has by itself, and how they come out of an acceptance. */
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
  send_at: ['timestamptz', ({ row }) => time(row.send_at)],
  events: ['jsonb', ({ row }) => eventsJson(row.events)],
};

/** The same of `notification_contents`. */
const content: Record<string, Column> = {
  subject: ['text', (acceptance) => acceptance.content.subject],
  html_body: ['text', (acceptance) => acceptance.content.html_body],
  text_body: ['text', (acceptance) => acceptance.content.text_body],
  template_data: ['jsonb', (acceptance) => templateDataJson(acceptance.content.template_data)],
  from_name: ['text', (acceptance) => acceptance.content.from_name],
  reply_to: ['text', (acceptance) => acceptance.content.reply_to],
  attachments: ['jsonb', (acceptance) => json(acceptance.content.attachments)],
  template_version_id: ['uuid', (acceptance) => acceptance.content.template_version_id],
  template_locale: ['text', (acceptance) => acceptance.content.template_locale],
  structured: ['json', (acceptance) => json(acceptance.content.structured)],
  rendered_at: ['timestamptz', (acceptance) => time(acceptance.content.rendered_at)],
};

/** What the other parts of the statement go by. */
const writeColumns: Record<string, Column> = {
  lane: ['smallint', ({ row }) => String(lanes[row.priority])],
  operation: ['text', ({ keyClaim }) => keyClaim?.operation ?? null],
  body_hash: ['text', ({ keyClaim }) => keyClaim?.bodyHash ?? null],
  organization_id: ['uuid', ({ meter }) => meter?.organizationId ?? null],
  month: ['date', ({ meter }) => meter && monthOf(meter.at)],
  is_pair: ['boolean', ({ pair }) => pair && 'true'],
};

const columns = Object.entries({ ...notificationColumns, ...content, ...writeColumns });
const notificationColumnList = Object.keys(notificationColumns).join(', ');
const contentColumns = Object.keys(content).join(', ');

/**
 * Everything that accepting means, for any number of notifications, in one statement: one round trip, columns as arrays that
 * need no parsing, and, where nothing else is to be written, no transaction around it. That is half of what the same writes
 * cost as statements of their own. `taken` says which are written. What comes last here is executed first (see
 * `enqueueSteps`): rows that everybody wants are locked at the end, and `keys` fails before anything else is done.
 */
const insertSql = (taken: string, keys = ''): string => `
   with input as materialized (
     select ${columns.map(([name, [type]]) => (type === 'text' ? name : `${name}::${type}`)).join(', ')}
     from unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')})
       as given (${columns.map(([name]) => name).join(', ')})
   ),
   ${taken},
   ${enqueueSql('notification', '(select id, lane, environment_id, send_at as run_at from taken) work')},
   counted as (${countSendsSql('(select * from taken where organization_id is not null) sends')}),
   pairs as (${rememberAddressesSql('(select * from taken where is_pair) pairs')}),
   lives as (
     insert into notifications (${notificationColumnList}) select ${notificationColumnList} from taken
   ),
   contents as (
     insert into notification_contents (notification_id, ${contentColumns}) select id, ${contentColumns} from taken
   )${keys}
   select id from input except select id from taken`;

const claims =
  '(select *, idempotency_key as key, id as resource_id from input where operation is not null) claims';

/** Those whose Idempotency-Key is taken are left out, and returned. */
const insert = statement<{ id: string }>(
  'notifications_insert',
  insertSql(`
   fresh as (${claimKeysSql(claims)}),
   taken as materialized (
     select * from input where operation is null or id in (select resource_id from fresh)
   )`),
);

/** Fails if an Idempotency-Key is taken. */
const insertNew = statement(
  'notifications_insert_new',
  insertSql('taken as (select * from input)', `, keys as (${insertKeysSql(claims)})`),
);

const insertBytes = statement(
  'notifications_insert_bytes',
  'insert into attachment_bytes (notification_id, position, bytes) values ($1, $2, $3)',
);

const valuesOf = (acceptances: Acceptance[]): unknown[] =>
  columns.map(([, [, read]]) => textArray(acceptances.map(read)));

/** Returns the ids of those that were not written, because their Idempotency-Key is taken. Each key may be there once. */
export async function insertAcceptances(sql: Sql, acceptances: Acceptance[]): Promise<Set<string>> {
  if (acceptances.length === 0) return new Set();
  const rows = await insert(sql, valuesOf(acceptances));
  return new Set(rows.map(({ id }) => id));
}

/** How long after a key that was there before we expect more of them. */
const conflictCheckWindowMs = 1_000;

/**
 * The same, outside of a transaction. Hardly a key comes twice, and one that may be there already costs twice as much to write:
 * so keys are taken for new until one is not. What failed because of it is written again with care, as is everything for a
 * while, so that a caller who repeats himself all day costs one statement a second.
 */
export function createInsert(): (pool: Pool, acceptances: Acceptance[]) => Promise<Set<string>> {
  let conflictCheckUntil = 0;
  return async (pool, acceptances) => {
    if (performance.now() < conflictCheckUntil) return insertAcceptances(pool, acceptances);
    try {
      await insertNew(pool, valuesOf(acceptances));
      return new Set();
    } catch (error) {
      if (!isKnownKey(error)) throw error;
      conflictCheckUntil = performance.now() + conflictCheckWindowMs;
      return insertAcceptances(pool, acceptances);
    }
  };
}

export async function insertAttachmentBytes(sql: Sql, acceptances: Acceptance[]): Promise<void> {
  await Promise.all(
    acceptances.flatMap(({ row, bytes }) =>
      bytes.map((file, position) => insertBytes(sql, [row.id, position, file])),
    ),
  );
}
