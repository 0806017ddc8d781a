import type { DeviceKind } from '../../../channels/in-app/push/contract.ts';
import { sealedText } from '../../../db/reseal.ts';
import { deleteInSlices } from '../../../db/slices.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import { type Eraser, isAliasSql, wholeSlice } from '../../people/users/index.ts';
import { addressContext } from './address.ts';

export const deviceSealedColumns = [
  sealedText(
    { table: 'devices', key: 'id', also: ['environment_id', 'identity'], column: 'address' },
    // PostgreSQL shows bytes as `\x` and hexadecimal digits.
    ({ environment_id = '', identity = '' }) => addressContext(environment_id, identity.slice(2)),
  ),
];

const isOfPerson = `environment_id = $1 and (external_user_id = $2 or ${isAliasSql('external_user_id', '$3')})`;

const deleteDevices = statement('push_erase_devices', `delete from devices where ${isOfPerson} and id < $4`);
const deletePresences = statement('push_erase_presences', `delete from inbox_presences where ${isOfPerson}`);

/** A user has at most a hundred devices: one slice is enough. */
export const deviceEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, aliases, before }) {
    await deleteDevices(tx, [environmentId, externalUserId, aliases, before]);
    await deletePresences(tx, [environmentId, externalUserId, aliases]);
    return wholeSlice;
  },
};

/** The user that devices belong to. */
export interface DeviceOwner {
  environmentId: string;
  externalUserId: string;
}

export interface DeviceRow {
  id: string;
  environment_id: string;
  external_user_id: string;
  kind: DeviceKind;
  identity: Buffer;
  service: string;
  /** Sealed. */
  address: string;
  label: string | null;
  created_at: Date;
  last_seen_at: Date;
  last_outcome: string | null;
  last_outcome_detail: string | null;
  last_outcome_at: Date | null;
}

const columns =
  'd.id, d.environment_id, d.external_user_id, d.kind, d.identity, d.service, d.address, d.label, d.created_at, d.last_seen_at, d.last_outcome, d.last_outcome_detail, d.last_outcome_at';

/** Devices of one user; those that were seen last stay. */
export const maxDevices = 100;

const upsert = statement<DeviceRow>(
  'push_upsert_device',
  `insert into devices as d (id, environment_id, external_user_id, kind, identity, service, address, label)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (environment_id, identity) do update set
     external_user_id = excluded.external_user_id, address = excluded.address, label = excluded.label, last_seen_at = now(),
     last_outcome = case when d.external_user_id = excluded.external_user_id then d.last_outcome end,
     last_outcome_detail = case when d.external_user_id = excluded.external_user_id then d.last_outcome_detail end,
     last_outcome_at = case when d.external_user_id = excluded.external_user_id then d.last_outcome_at end
   returning ${columns}`,
);

type NewDevice = Pick<DeviceRow, 'id' | 'kind' | 'identity' | 'service' | 'address' | 'label'>;

/** A device that is known gets its new owner. */
export async function upsertDevice(sql: Sql, owner: DeviceOwner, device: NewDevice): Promise<DeviceRow> {
  const { id, kind, identity, service, address, label } = device;
  const values = [id, owner.environmentId, owner.externalUserId, kind, identity, service, address, label];
  const [row] = await upsert(sql, values);
  if (!row) throw new Error('an upsert returned no device');
  return row;
}

const deleteBeyond = statement(
  'push_delete_devices_beyond',
  `delete from devices where id = any (array(
     select id from devices where environment_id = $1 and external_user_id = $2
     order by last_seen_at desc, id desc offset ${maxDevices} limit 100))`,
);

export async function deleteDevicesBeyondLimit(sql: Sql, owner: DeviceOwner): Promise<void> {
  await deleteBeyond(sql, [owner.environmentId, owner.externalUserId]);
}

const listOfUser = statement<DeviceRow>(
  'push_list_devices',
  `select ${columns} from devices d where d.environment_id = $1 and d.external_user_id = $2
   order by d.last_seen_at desc, d.id desc limit ${maxDevices}`,
);

export function listDevices(sql: Sql, owner: DeviceOwner): Promise<DeviceRow[]> {
  return listOfUser(sql, [owner.environmentId, owner.externalUserId]);
}

const deleteOne = statement<DeviceRow>(
  'push_delete_device',
  `delete from devices d where d.environment_id = $1 and d.external_user_id = $2 and d.id = $3 returning ${columns}`,
);

export async function deleteDevice(sql: Sql, owner: DeviceOwner, id: string): Promise<DeviceRow | null> {
  return (await deleteOne(sql, [owner.environmentId, owner.externalUserId, id]))[0] ?? null;
}

/** Pages of one user; the ids come from the browser. */
const maxPages = 50;

const upsertPresence = statement(
  'push_upsert_presence',
  `insert into inbox_presences (environment_id, external_user_id, page, visible_until)
   select $1, $2, $3, now() + make_interval(secs => $4)
   where (select count(*) from inbox_presences
     where environment_id = $1 and external_user_id = $2 and page <> $3 and visible_until > now()) < ${maxPages}
   on conflict (environment_id, external_user_id, page) do update set visible_until = excluded.visible_until`,
);

export async function updatePresence(
  sql: Sql,
  owner: DeviceOwner,
  page: string,
  seconds: number,
): Promise<void> {
  await upsertPresence(sql, [owner.environmentId, owner.externalUserId, page, seconds]);
}

const deletePresence = statement(
  'push_delete_presence',
  'delete from inbox_presences where environment_id = $1 and external_user_id = $2 and page = $3',
);

export async function deletePagePresence(sql: Sql, owner: DeviceOwner, page: string): Promise<void> {
  await deletePresence(sql, [owner.environmentId, owner.externalUserId, page]);
}

const deleteExpired = statement<{ page: string }>(
  'push_delete_expired_presences',
  `delete from inbox_presences where ctid = any (array(
     select ctid from inbox_presences where visible_until < now() - interval '1 minute'
     order by visible_until limit $1))
   returning page`,
);

/** Deletes pages that are no longer visible. */
export const tidyPresences = deleteInSlices(5_000, async ({ pool }, limit) => {
  return (await deleteExpired(pool, [limit])).length;
});
