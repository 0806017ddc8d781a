import { type Sql, statement } from '../../../../db/sql.ts';
import type { StoredProvider } from '../provider-config.ts';
import type { Versioned } from '../sender-cache.ts';

/** A provider with the senders of its account, and the result of the last check of its credentials. */
export interface StoredSmsProvider extends StoredProvider {
  from_number: string | null;
  from_sender_id: string | null;
  /** Null when the provider refused the credentials, did not answer, or was not asked. */
  credentials_validated_at: string | null;
  /** The response of the provider to the check; empty when it was not asked. */
  credentials_detail: string;
}

/** The settings of an environment; one without providers has none. */
export interface SmsSettings {
  environment_id: string;
  providers: [StoredSmsProvider, ...StoredSmsProvider[]];
}

const columns = 'environment_id, providers';

const selectMany = statement<Versioned<SmsSettings>>(
  'connections_list_sms_settings',
  `select ${columns}, xmin::text as version from sms_settings where environment_id = any ($1::uuid[])`,
);

/** Environments without settings are left out. */
export async function listVersionedSmsSettings(
  sql: Sql,
  environmentIds: string[],
): Promise<Map<string, Versioned<SmsSettings>>> {
  const rows = await selectMany(sql, [environmentIds]);
  return new Map(rows.map((row) => [row.environment_id, row]));
}

export async function findSmsSettings(sql: Sql, environmentId: string): Promise<SmsSettings | null> {
  return (await listVersionedSmsSettings(sql, [environmentId])).get(environmentId) ?? null;
}

const selectForUpdate = statement<SmsSettings>(
  'connections_lock_sms_settings',
  `select ${columns} from sms_settings where environment_id = $1 for update`,
);

export async function lockSmsSettings(tx: Sql, environmentId: string): Promise<SmsSettings | null> {
  return (await selectForUpdate(tx, [environmentId]))[0] ?? null;
}

const upsert = statement(
  'connections_upsert_sms_settings',
  `insert into sms_settings (${columns}) values ($1, $2)
   on conflict (environment_id) do update set providers = excluded.providers, updated_at = now()`,
);

export async function updateSmsSettings(tx: Sql, { environment_id, providers }: SmsSettings): Promise<void> {
  await upsert(tx, [environment_id, JSON.stringify(providers)]);
}

const remove = statement(
  'connections_delete_sms_settings',
  'delete from sms_settings where environment_id = $1',
);

export async function deleteSmsSettings(tx: Sql, environmentId: string): Promise<void> {
  await remove(tx, [environmentId]);
}

const updateCheck = statement(
  'connections_update_sms_check',
  // The element is replaced only while it is the one that was checked.
  `update sms_settings s set providers = (
     select jsonb_agg(case when p.value = $2::jsonb then p.value || $3::jsonb else p.value end order by p.place)
     from jsonb_array_elements(s.providers) with ordinality as p (value, place))
   where environment_id = $1 and s.providers @> jsonb_build_array($2::jsonb)`,
);

/** Stores the result of a check, unless the provider was changed meanwhile. */
export async function updateSmsCheck(
  sql: Sql,
  environmentId: string,
  checked: StoredSmsProvider,
  result: Pick<StoredSmsProvider, 'credentials_validated_at' | 'credentials_detail'>,
): Promise<void> {
  await updateCheck(sql, [environmentId, JSON.stringify(checked), JSON.stringify(result)]);
}
