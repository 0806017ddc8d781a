import { type Sql, statement } from '../../../db/sql.ts';
import { firstId } from '../../../kernel/ids.ts';

/** The approximate size of a notification or a run besides its content: its row, events, trace and index entries. */
export const overheadBytes = 1_024;

const addRows = statement<{ environment_id: string; stored_bytes: number }>(
  'storage_add',
  `insert into environment_storage as s (environment_id, added_bytes)
   select environment_id, bytes from unnest($1::uuid[], $2::bigint[]) as given (environment_id, bytes)
   order by environment_id -- everyone locks in this order: no deadlocks
   on conflict (environment_id) do update set added_bytes = s.added_bytes + excluded.added_bytes
   returning environment_id, (measured_bytes + added_bytes)::float8 as stored_bytes`,
);

/** Returns the stored bytes of each environment after the addition. */
export function addStored(
  sql: Sql,
  added: ReadonlyMap<string, number>,
): Promise<{ environment_id: string; stored_bytes: number }[]> {
  return addRows(sql, [[...added.keys()], [...added.values()].map(Math.round)]);
}

const findRow = statement<{ stored_bytes: number }>(
  'storage_find',
  'select (measured_bytes + added_bytes)::float8 as stored_bytes from environment_storage where environment_id = $1',
);

export async function findStored(sql: Sql, environmentId: string): Promise<number> {
  return (await findRow(sql, [environmentId]))[0]?.stored_bytes ?? 0;
}

const claimRow = statement<{ environment_id: string; added_bytes: number }>(
  'storage_claim',
  // Environments close to their quota are measured often, those that have grown occasionally, and all of them once a day, to
  // account for deletions.
  `update environment_storage set measure_after = now() + interval '10 minutes'
   where environment_id = (
     select environment_id from environment_storage
     where measure_after <= now()
       and (measured_bytes + added_bytes >= $1::float8
         or (added_bytes > 0 and measured_at < now() - interval '5 minutes')
         or measured_at < now() - interval '1 day')
     order by measure_after limit 1 for update skip locked)
   returning environment_id, added_bytes::float8`,
);

/** Claims an environment that is due to be measured; no other process gets it for 10 minutes. */
export async function claimMeasure(
  sql: Sql,
  oftenFromBytes: number,
): Promise<{ environment_id: string; added_bytes: number } | null> {
  return (await claimRow(sql, [oftenFromBytes]))[0] ?? null;
}

const measuredRow = statement(
  'storage_measured',
  `update environment_storage
   set measured_bytes = $2, added_bytes = greatest(0, added_bytes - $3), measured_at = now(),
     measure_after = now() + make_interval(secs => $4::float8 / 1000)
   where environment_id = $1`,
);

/** `included` is the number of bytes that had been added before, and that the measurement covers. */
export async function saveMeasured(
  sql: Sql,
  environmentId: string,
  measured: { bytes: number; included: number; restMs: number },
): Promise<void> {
  const { bytes, included, restMs } = measured;
  await measuredRow(sql, [environmentId, bytes, included, restMs]);
}

const sliceSize = 2_000;

const measureSlice = statement<{ last: string | null; bytes: number }>(
  'storage_measure_notifications',
  // The lengths of texts and bytes are known without reading them.
  `with slice as materialized (
     select id from notifications where environment_id = $1 and id > $2 order by id limit ${sliceSize}
   )
   select (select id from slice order by id desc limit 1) as last,
     coalesce(sum(${overheadBytes} + coalesce(octet_length(c.subject), 0) + coalesce(octet_length(c.html_body), 0)
       + coalesce(octet_length(c.text_body), 0) + octet_length(c.template_data::text)
       + coalesce(octet_length(c.structured::text), 0) + coalesce(octet_length(c.inbox_extras::text), 0)
       + case when c.attachments is null then 0 else
         (select coalesce(sum(octet_length(b.bytes)), 0) from attachment_bytes b where b.notification_id = slice.id) end
       + case when c.attachments is null and c.body_object is null then 0 else
         (select coalesce(sum(o.size_bytes), 0) from stored_objects o
          where o.notification_id = slice.id and o.state = 'stored') end), 0)::float8 as bytes
   from slice join notification_contents c on c.notification_id = slice.id`,
);

const measureOthers = statement<{ bytes: number }>(
  'storage_measure_others',
  // The indexes of inbox items are partial: asked for in one sum, the items of every environment are read.
  `select (
     (select coalesce(sum(payload_bytes), 0) from sandbox_messages where environment_id = $1)
     + (select coalesce(sum(bytes), 0) from inbox_items where environment_id = $1 and archived_at is null)
     + (select coalesce(sum(bytes), 0) from inbox_items where environment_id = $1 and archived_at is not null)
     + (select coalesce(sum(${overheadBytes} + octet_length(r.trigger_data::text)
          + (select coalesce(sum(pg_column_size(s.output)), 0) from run_steps s where s.run_id = r.id)), 0)
        from workflows w join runs r on r.workflow_id = w.id where w.environment_id = $1))::float8 as bytes`,
);

/**
 * Returns the bytes that an environment stores: notifications with attachments, inbox items, workflow runs with the outputs of
 * their steps, and sandbox messages.
 */
export async function measure(sql: Sql, environmentId: string): Promise<number> {
  let total = (await measureOthers(sql, [environmentId]))[0]?.bytes ?? 0;
  for (let after: string | null = firstId; after !== null; ) {
    const [slice] = await measureSlice(sql, [environmentId, after]);
    total += slice?.bytes ?? 0;
    after = slice?.last ?? null;
  }
  return total;
}
