import type { ProviderConfig } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Versioned } from '../sender-cache.ts';
import type { SmsKind } from './schema.ts';

/** The settings as stored: the secret fields of `config` are sealed. */
export interface SmsSettings {
  environment_id: string;
  id: string;
  kind: SmsKind;
  from_number: string | null;
  from_sender_id: string | null;
  config: ProviderConfig;
  credentials_validated_at: Date | null;
  credentials_detail: string;
}

const columns =
  'environment_id, id, kind, from_number, from_sender_id, config, credentials_validated_at, credentials_detail';

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
  `insert into sms_settings (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (environment_id) do update set
     id = excluded.id, kind = excluded.kind, from_number = excluded.from_number,
     from_sender_id = excluded.from_sender_id, config = excluded.config,
     credentials_validated_at = excluded.credentials_validated_at,
     credentials_detail = excluded.credentials_detail, updated_at = now()`,
);

export async function updateSmsSettings(tx: Sql, settings: SmsSettings): Promise<void> {
  await upsert(tx, [
    settings.environment_id,
    settings.id,
    settings.kind,
    settings.from_number,
    settings.from_sender_id,
    JSON.stringify(settings.config),
    settings.credentials_validated_at,
    settings.credentials_detail,
  ]);
}

const remove = statement(
  'connections_delete_sms_settings',
  'delete from sms_settings where environment_id = $1',
);

export async function deleteSmsSettings(tx: Sql, environmentId: string): Promise<void> {
  await remove(tx, [environmentId]);
}
