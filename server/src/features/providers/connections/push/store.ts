import type { DeviceKind } from '../../../../channels/in-app/push/contract.ts';
import type { RingSetting } from '../../../../channels/in-app/push/ring-setting.ts';
import { lockEnvironment } from '../../../../db/locks.ts';
import type { SealedColumn } from '../../../../db/reseal.ts';
import { type Sql, statement } from '../../../../db/sql.ts';
import type { Keyring } from '../../../../kernel/crypto.ts';
import type { Versioned } from '../sender-cache.ts';

/** The result of the last check of a service with its settings. */
interface PushCheck {
  ok: boolean;
  detail: string;
  at: string;
}

/** The settings as stored: every `private_key` is sealed. */
export interface PushSettings {
  environment_id: string;
  ring: RingSetting;
  vapid: { public_key: string; private_key: string } | null;
  web_push: { contact: string } | null;
  apns: {
    team_id: string;
    key_id: string;
    bundle_id: string;
    environment: 'production' | 'sandbox';
    private_key: string;
  } | null;
  fcm: { project_id: string; client_email: string; token_uri: string; private_key: string } | null;
  checks: { [Kind in DeviceKind]?: PushCheck };
}

const columns = 'environment_id, ring, vapid, web_push, apns, fcm, checks';

export interface StoredPushSettings extends PushSettings {
  /** When they were saved: a check changes the version of the row, but not the settings. */
  saved_at: string;
}

const selectMany = statement<Versioned<StoredPushSettings>>(
  'connections_list_push_settings',
  `select ${columns}, updated_at::text as saved_at, xmin::text as version from push_settings where environment_id = any ($1::uuid[])`,
);

/** Environments without settings are left out. */
export async function listVersionedPushSettings(
  sql: Sql,
  environmentIds: string[],
): Promise<Map<string, Versioned<StoredPushSettings>>> {
  const rows = await selectMany(sql, [environmentIds]);
  return new Map(rows.map((row) => [row.environment_id, row]));
}

export async function findPushSettings(sql: Sql, environmentId: string): Promise<StoredPushSettings | null> {
  return (await listVersionedPushSettings(sql, [environmentId])).get(environmentId) ?? null;
}

const selectForUpdate = statement<PushSettings>(
  'connections_lock_push_settings',
  `select ${columns} from push_settings where environment_id = $1 for update`,
);

/** Also locks the environment: of two first saves, the second sees the keys of the first. */
export async function lockPushSettings(tx: Sql, environmentId: string): Promise<PushSettings | null> {
  await lockEnvironment(tx, environmentId);
  return (await selectForUpdate(tx, [environmentId]))[0] ?? null;
}

const upsert = statement(
  'connections_upsert_push_settings',
  `insert into push_settings (${columns}) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (environment_id) do update set
     ring = excluded.ring, vapid = excluded.vapid, web_push = excluded.web_push, apns = excluded.apns, fcm = excluded.fcm,
     checks = excluded.checks, updated_at = now()`,
);

export async function updatePushSettings(tx: Sql, settings: PushSettings): Promise<void> {
  const { environment_id, ring, vapid, web_push, apns, fcm, checks } = settings;
  const json = [ring, vapid, web_push, apns, fcm, checks].map((value) => value && JSON.stringify(value));
  await upsert(tx, [environment_id, ...json]);
}

const updateChecks = statement(
  'connections_update_push_checks',
  'update push_settings set checks = $3 where environment_id = $1 and updated_at = $2::timestamptz',
);

/** Settings that were saved since keep the checks of that save. */
export async function updatePushChecks(
  sql: Sql,
  { environment_id, saved_at }: StoredPushSettings,
  checks: PushSettings['checks'],
): Promise<void> {
  await updateChecks(sql, [environment_id, saved_at, JSON.stringify(checks)]);
}

const remove = statement(
  'connections_delete_push_settings',
  'delete from push_settings where environment_id = $1',
);

export async function deletePushSettings(tx: Sql, environmentId: string): Promise<void> {
  await remove(tx, [environmentId]);
}

const sealedParts = ['vapid', 'apns', 'fcm'] as const;
type SealedPart = (typeof sealedParts)[number];
type PushKeys = Pick<PushSettings, SealedPart>;

const contextOf = (environmentId: string, part: SealedPart): string =>
  `push_settings:${environmentId}:${part}`;

function mapKey<Part extends { private_key: string } | null>(
  part: Part,
  change: (key: string) => string,
): Part {
  return part && { ...part, private_key: change(part.private_key) };
}

export function sealPushKeys(keyring: Keyring, environmentId: string, keys: PushKeys): PushKeys {
  const seal = (part: SealedPart) => (key: string) => keyring.seal(key, contextOf(environmentId, part));
  return {
    vapid: mapKey(keys.vapid, seal('vapid')),
    apns: mapKey(keys.apns, seal('apns')),
    fcm: mapKey(keys.fcm, seal('fcm')),
  };
}

/** Throws when the key that sealed one of them is no longer configured. */
export function openPushKeys(keyring: Keyring, environmentId: string, keys: PushKeys): PushKeys {
  const open = (part: SealedPart) => (key: string) => keyring.open(key, contextOf(environmentId, part));
  return {
    vapid: mapKey(keys.vapid, open('vapid')),
    apns: mapKey(keys.apns, open('apns')),
    fcm: mapKey(keys.fcm, open('fcm')),
  };
}

export const pushSealedColumns: SealedColumn[] = sealedParts.map((column) => ({
  table: 'push_settings',
  key: 'environment_id',
  column,
  type: 'jsonb',
  reseal: (part: { private_key: string }, { environment_id = '' }, again) =>
    mapKey(part, (key) => again(key, contextOf(environment_id, column))),
}));
