import { inSlices } from '../db/slices.ts';
import { type Pool, statement, transaction } from '../db/sql.ts';
import { encodeHistory, type StoredHistory } from '../features/notifications/notifications/index.ts';
import { type OperatorCommand, withDatabase } from './command.ts';

const sliceSize = 1_000;
const progressEvery = 100_000;

const findSliceEnd = statement<{ id: string; count: number }>(
  'compact_find_slice_end',
  `select max(id::text)::uuid as id, count(*)::int as count
   from (select id from notifications where id > $1 order by id limit ${sliceSize}) as slice`,
);

const lockOldForm = statement<StoredHistory>(
  'compact_lock_old_form',
  `select id, resent_from, events, trace, history from notifications
   where id > $1 and id <= $2 and (events <> '[]' or trace <> '[]')
   order by id for no key update skip locked`,
);

const rewrite = statement(
  'compact_rewrite',
  `update notifications n set history = i.history, events = '[]', trace = '[]'
   from json_to_recordset($1::json) as i (id uuid, history text) where n.id = i.id`,
);

/**
 * `npm start -- --compact`: gives notifications of earlier releases the compact form of events and trace, while the service runs. A
 * slice is a transaction, so the command can be stopped and run again at any time. Rows that are being sent are left for the next
 * run. What later releases append stays behind what was there.
 */
export const compactCommand: OperatorCommand = (config, print) =>
  withDatabase(config, print, async (pool) => {
    const done = { read: 0, rewritten: 0 };
    await inSlices(async ({ pool }: { pool: Pool }, after) => {
      const slice = await compactSlice(pool, after);
      const isPrinted =
        Math.floor((done.read + slice.read) / progressEvery) > Math.floor(done.read / progressEvery);
      done.read += slice.read;
      done.rewritten += slice.rewritten;
      if (isPrinted) print(`  ${done.read} notifications read, ${done.rewritten} rewritten`);
      return slice.last;
    })({ pool }, () => false);
    print(`${done.read} notifications read, ${done.rewritten} rewritten in the compact form`);
    return 0;
  });

async function compactSlice(
  pool: Pool,
  after: string,
): Promise<{ last: string | null; read: number; rewritten: number }> {
  return transaction(pool, async (tx) => {
    const [end] = await findSliceEnd(tx, [after]);
    if (!end || end.count === 0) return { last: null, read: 0, rewritten: 0 };
    const rows = await lockOldForm(tx, [after, end.id]);
    const compact = rows.map(({ id, history, ...before }) => ({
      id,
      history: [encodeHistory(id, before), history].filter((part) => part !== null).join(','),
    }));
    if (compact.length > 0) await rewrite(tx, [JSON.stringify(compact)]);
    return { last: end.id, read: end.count, rewritten: compact.length };
  });
}
