import { type Sql, statement } from '../../db/sql.ts';
import { claimKeysSql } from '../../http/idempotency.ts';
import { enqueueSql, lanes } from '../../queue/index.ts';
import { countSendsSql, monthOf } from '../usage/index.ts';
import { rememberAddressesSql } from '../users/index.ts';
import type { Acceptance } from './accept.ts';

const lifeColumns = `id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category,
  template_key, idempotency_key, action_url, resent_from, connection_id, send_at, events`;
const contentColumns = `subject, html_body, text_body, template_data, from_name, reply_to, attachments, template_version_id,
  template_locale, structured, rendered_at`;

/**
 * Everything that accepting means, for any number of notifications, in one statement: one round trip, one parse of one
 * parameter, and, where nothing else is to be written, no transaction around it. That is half of what the same writes cost
 * as statements of their own. Those whose Idempotency-Key is taken are left out, and returned.
 */
const insert = statement<{ id: string }>(
  'notifications_insert',
  `with input as materialized (
     select * from json_to_recordset($1::json) as (
       id uuid, environment_id uuid, channel text, status text, priority text, address text, recipient_name text,
       external_user_id text, category text, template_key text, idempotency_key text, action_url text, resent_from uuid, connection_id uuid,
       send_at timestamptz, events jsonb, subject text, html_body text, text_body text, template_data jsonb,
       from_name text, reply_to text, attachments jsonb, template_version_id uuid, template_locale text,
       structured json, rendered_at timestamptz,
       lane smallint, operation text, body_hash text, organization_id uuid, month date, is_pair boolean)
   ),
   fresh as (${claimKeysSql(
     '(select *, idempotency_key as key, id as resource_id from input where operation is not null) claims',
   )}),
   taken as materialized (
     select * from input where operation is null or id in (select resource_id from fresh)
   ),
   contents as (
     insert into notification_contents (notification_id, ${contentColumns}) select id, ${contentColumns} from taken
   ),
   lives as (
     insert into notifications (${lifeColumns}) select ${lifeColumns} from taken
   ),
   pairs as (${rememberAddressesSql('(select * from taken where is_pair) pairs')}),
   counted as (${countSendsSql('(select * from taken where organization_id is not null) sends')}),
   ${enqueueSql('notification', '(select id, lane, environment_id, send_at as run_at from taken) work')}
   select id from input except select id from taken`,
);

const insertBytes = statement(
  'notifications_insert_bytes',
  'insert into attachment_bytes (notification_id, position, bytes) values ($1, $2, $3)',
);

/** Returns the ids of those that were not written, because their Idempotency-Key is taken. Each key may be there once. */
export async function insertAcceptances(sql: Sql, acceptances: Acceptance[]): Promise<Set<string>> {
  if (acceptances.length === 0) return new Set();
  const rows = await insert(sql, [`[${acceptances.map(rowOf).join(',')}]`]);
  return new Set(rows.map(({ id }) => id));
}

export async function insertAttachmentBytes(sql: Sql, acceptances: Acceptance[]): Promise<void> {
  await Promise.all(
    acceptances.flatMap(({ row, bytes }) =>
      bytes.map((file, position) => insertBytes(sql, [row.id, position, file])),
    ),
  );
}

/** One row as JSON. What is null is left out, for every field costs PostgreSQL about 0.4 µs to find and read. */
function rowOf({ row, content, keyClaim, meter, pair }: Acceptance): string {
  return `{${[
    `"id":"${row.id}","environment_id":"${row.environment_id}","channel":"${row.channel}","status":"${row.status}"`,
    `,"priority":"${row.priority}","lane":${lanes[row.priority]},"events":${JSON.stringify(row.events)}`,
    field('address', row.address),
    field('recipient_name', row.recipient_name),
    field('external_user_id', row.external_user_id),
    field('category', row.category),
    field('template_key', row.template_key),
    field('idempotency_key', row.idempotency_key),
    field('action_url', row.action_url),
    field('resent_from', row.resent_from),
    field('connection_id', row.connection_id),
    field('send_at', row.send_at),
    field('subject', content.subject),
    field('html_body', content.html_body),
    field('text_body', content.text_body),
    field('template_data', content.template_data),
    field('from_name', content.from_name),
    field('reply_to', content.reply_to),
    field('attachments', content.attachments),
    field('template_version_id', content.template_version_id),
    field('template_locale', content.template_locale),
    field('structured', content.structured),
    field('rendered_at', content.rendered_at),
    keyClaim ? `,"operation":"${keyClaim.operation}","body_hash":"${keyClaim.bodyHash}"` : '',
    meter ? `,"organization_id":"${meter.organizationId}","month":"${monthOf(meter.at)}"` : '',
    pair ? ',"is_pair":true' : '',
  ].join('')}}`;
}

function field(name: string, value: unknown): string {
  return value === null ? '' : `,"${name}":${JSON.stringify(value)}`;
}
