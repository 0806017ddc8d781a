import { type Sql, statement } from '../../../db/sql.ts';
import { textArray } from '../../../db/text-array.ts';
import { newId } from '../../../kernel/ids.ts';
import { isoTime } from '../../../kernel/time-zone.ts';
import { enqueueSql, lanes, type Queue } from '../../../queue/index.ts';
import { countSendsSql, monthOf } from '../../control/usage/index.ts';
import type { AudienceMember } from '../../people/audiences/index.ts';
import { type Consent, findConsents } from '../../people/preferences/index.ts';
import { findSuppressed, type SuppressionRow } from '../../people/suppressions/index.ts';
import { addressFields } from '../../people/users/index.ts';
import type { BroadcastChannel } from './schema.ts';

/** A user of the audience, with the channel and address that the broadcast goes to. */
export interface BroadcastRecipient {
  /** The id of the notification. */
  id: string;
  environment_id: string;
  external_user_id: string;
  channel: BroadcastChannel;
  address: string;
  category: string | null;
  member: AudienceMember;
}

/** The fields of a broadcast that decide how a user is reached. */
interface BroadcastTarget {
  environment_id: string;
  channels: readonly BroadcastChannel[];
  category: string | null;
}

/**
 * Chooses the first channel with an address that is not suppressed and that the user has not opted out of. If there is none, it is
 * the first one with an address: the notification is suppressed at the send, with its reason. Members without any address are
 * left out. Consent is read only where there is a choice, with two queries for all members.
 */
export async function chooseRecipients(
  sql: Sql,
  target: BroadcastTarget,
  members: readonly AudienceMember[],
  now: number,
): Promise<BroadcastRecipient[]> {
  const choices = members.map((member) => candidatesOf(target, member, now));
  const consentOf = await findConsent(sql, choices.filter((candidates) => candidates.length > 1).flat());
  const isWanted = (candidate: BroadcastRecipient): boolean => {
    const { suppression, consent } = consentOf(candidate);
    return !suppression && (!consent || consent.isCritical || consent.optedIn);
  };
  return choices.flatMap((candidates) => candidates.find(isWanted) ?? candidates[0] ?? []);
}

function candidatesOf(
  { environment_id, channels, category }: BroadcastTarget,
  member: AudienceMember,
  now: number,
): BroadcastRecipient[] {
  const { external_user_id } = member;
  return channels.flatMap((channel) => {
    const address = channel === 'in_app' ? external_user_id : member[addressFields[channel]];
    if (!address) return [];
    return [{ id: newId(now), environment_id, external_user_id, channel, address, category, member }];
  });
}

/** What is known of a recipient's wishes before the send, which reads them again. */
interface RecipientConsent {
  suppression: SuppressionRow | null;
  consent: Consent | null;
}

export async function findConsent(
  sql: Sql,
  recipients: BroadcastRecipient[],
): Promise<(recipient: BroadcastRecipient) => RecipientConsent> {
  const [suppressed, consents] = await Promise.all([
    findSuppressed(sql, recipients),
    findConsents(sql, recipients),
  ]);
  return ({ id }) => ({ suppression: suppressed.get(id) ?? null, consent: consents.get(id) ?? null });
}

/** The data about the recipient that templates get beside the data of the broadcast. */
export function userDataOf({ member }: BroadcastRecipient): object {
  const { external_user_id, name, locale, timezone, attributes } = member;
  return { external_user_id, name, locale, timezone, attributes };
}

/** A recipient with the time of the send; null for now. */
export interface TimedRecipient extends BroadcastRecipient {
  sendAt: Date | null;
}

/**
 * Writes a slice: notifications, contents, jobs and usage in one statement. The contents are copied within the database from the
 * row of the broadcast, so a slice of a thousand costs the process a thousand addresses, however long the message is.
 */
const insert = statement(
  'broadcasts_insert_recipients',
  `with input as materialized (
     select id::uuid, external_user_id, channel, address, name, locale, send_at::timestamptz, user_data::jsonb, tag
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
       as given (id, external_user_id, channel, address, name, locale, send_at, user_data, tag)
   ),
   broadcast as materialized (
     select environment_id, category, template_key, template_data, action_url, source_id, contents from broadcasts where id = $11
   ),
   content as materialized (
     select c.* from broadcast, json_each(contents) as of_channel (name, value), lateral (
       select of_channel.name as channel, of_channel.value ->> 'subject' as subject, of_channel.value ->> 'html_body' as html_body,
         of_channel.value ->> 'text_body' as text_body, of_channel.value ->> 'from_name' as from_name,
         of_channel.value ->> 'reply_to' as reply_to, (of_channel.value ->> 'template_version_id')::uuid as template_version_id,
         of_channel.value ->> 'inline_format' as inline_format, (of_channel.value ->> 'connection_id')::uuid as connection_id,
         (of_channel.value -> 'inbox_extras')::jsonb as inbox_extras) c
   ),
   ${enqueueSql(
     'notification',
     `(select id, ${lanes.bulk}::smallint as lane, environment_id, send_at as run_at, tag from input, broadcast) work`,
     '$10',
   )},
   counted as (${countSendsSql('(select $12::uuid as organization_id, $13::date as month, channel from input where $12 is not null) sends')}),
   inserted as (
     insert into notifications (id, environment_id, channel, status, priority, address, recipient_name, external_user_id, category,
       template_key, action_url, connection_id, send_at, broadcast_id, source_id)
     select i.id, b.environment_id, i.channel, 'queued', 'bulk', i.address, i.name, i.external_user_id, b.category,
       b.template_key, b.action_url, c.connection_id, i.send_at, $11, b.source_id
     from input i join content c using (channel), broadcast b
   )
   insert into notification_contents (notification_id, subject, html_body, text_body, template_data, from_name, reply_to,
     template_version_id, inline_format, template_locale, inbox_extras)
   select i.id, c.subject, c.html_body, c.text_body,
     case when c.template_version_id is null and c.inline_format is null then b.template_data
       else jsonb_build_object('user', i.user_data) || b.template_data end,
     c.from_name, c.reply_to, c.template_version_id, c.inline_format, case when c.template_version_id is not null then i.locale end,
     nullif(c.inbox_extras, 'null')
   from input i join content c using (channel), broadcast b`,
);

/** The notifications of a slice. */
interface NewRecipients {
  broadcast: { id: string; environment_id: string };
  recipients: readonly TimedRecipient[];
  /** The organization whose plan counts the sends; null in Test. */
  meteredTo: string | null;
  now: number;
}

export async function insertRecipients(
  sql: Sql,
  queue: Pick<Queue, 'tagsFor'>,
  { broadcast, recipients, meteredTo, now }: NewRecipients,
): Promise<void> {
  if (recipients.length === 0) return;
  const { tags, lows } = queue.tagsFor(
    recipients.map(() => ({
      kind: 'notification',
      lane: 'bulk',
      environmentId: broadcast.environment_id,
    })),
  );
  const column = (read: (recipient: TimedRecipient) => string | null): Buffer | null =>
    textArray(recipients.map(read));
  await insert(sql, [
    column(({ id }) => id),
    column(({ external_user_id }) => external_user_id),
    column(({ channel }) => channel),
    column(({ address }) => address),
    column(({ member }) => member.name),
    column(({ member }) => member.locale),
    column(({ sendAt }) => (sendAt ? isoTime(sendAt.getTime()) : null)),
    column((recipient) => JSON.stringify(userDataOf(recipient))),
    tags,
    lows,
    broadcast.id,
    meteredTo,
    meteredTo && monthOf(now),
  ]);
}
