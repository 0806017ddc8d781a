import { type Sql, statement } from '../../../../db/sql.ts';
import type { StoredProvider } from '../provider-config.ts';
import type { Versioned } from '../sender-cache.ts';

export interface EmailSettings {
  from_address: string | null;
  from_name: string | null;
  reply_to: string | null;
  sender_locked: boolean;
  track_opens: boolean;
  track_clicks: boolean;
  providers: StoredProvider[];
}

/** The settings of an environment that never set any. */
export const noSettings: EmailSettings = {
  from_address: null,
  from_name: null,
  reply_to: null,
  sender_locked: false,
  track_opens: false,
  track_clicks: false,
  providers: [],
};

const columns = 'from_address, from_name, reply_to, sender_locked, track_opens, track_clicks, providers';

const selectMany = statement<Versioned<EmailSettings> & { environment_id: string }>(
  'connections_list_email_settings',
  `select environment_id, ${columns}, xmin::text as version from email_settings where environment_id = any($1)`,
);

/** Environments without settings are left out. */
export async function listVersionedSettings(
  sql: Sql,
  environmentIds: string[],
): Promise<Map<string, Versioned<EmailSettings>>> {
  const rows = await selectMany(sql, [environmentIds]);
  return new Map(rows.map(({ environment_id, ...settings }) => [environment_id, settings]));
}

export async function getSettings(sql: Sql, environmentId: string): Promise<EmailSettings> {
  const found = (await listVersionedSettings(sql, [environmentId])).get(environmentId);
  if (!found) return noSettings;
  const { version: _version, ...settings } = found;
  return settings;
}

const insertEmpty = statement(
  'connections_insert_email_settings',
  'insert into email_settings (environment_id) values ($1) on conflict do nothing',
);
const selectForUpdate = statement<EmailSettings>(
  'connections_lock_email_settings',
  `select ${columns} from email_settings where environment_id = $1 for update`,
);

/** Concurrent replacements are serialized, so that neither loses the secrets that the other one keeps. */
export async function lockSettings(tx: Sql, environmentId: string): Promise<EmailSettings> {
  await insertEmpty(tx, [environmentId]);
  const [row] = await selectForUpdate(tx, [environmentId]);
  return row ?? noSettings;
}

const update = statement(
  'connections_update_email_settings',
  `update email_settings
   set from_address = $2, from_name = $3, reply_to = $4, sender_locked = $5, track_opens = $6, track_clicks = $7,
     providers = $8, updated_at = now()
   where environment_id = $1`,
);

export async function updateSettings(tx: Sql, environmentId: string, settings: EmailSettings): Promise<void> {
  await update(tx, [
    environmentId,
    settings.from_address,
    settings.from_name,
    settings.reply_to,
    settings.sender_locked,
    settings.track_opens,
    settings.track_clicks,
    JSON.stringify(settings.providers),
  ]);
}
