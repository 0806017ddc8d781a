import { emailKey } from '../../../channels/address-key.ts';
import type { Channel } from '../../../channels/contract.ts';
import { parseEmailAddress } from '../../../channels/email/address.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import { type Eraser, wholeSlice } from '../users/index.ts';
import type { QuietHours } from './quiet-hours.ts';
import type { PreferenceSource } from './schema.ts';
import { type Cell, deleteDecisions } from './store.ts';

/** The fields of a notification that decide which preferences apply. */
interface Addressed {
  id: string;
  environment_id: string;
  channel: Channel;
  address: string | null;
  external_user_id: string | null;
  category: string | null;
}

/** The preferences of the recipient for the category of a notification. */
export interface Consent {
  isCritical: boolean;
  optedIn: boolean;
  source: PreferenceSource;
  quietHours: QuietHours | null;
}

interface ConsentRow {
  id: string;
  is_critical: boolean;
  default_opt_in: boolean;
  default_channels: Channel[];
  channel: Channel;
  opted_in: boolean | null;
  source: Exclude<PreferenceSource, 'default'> | null;
  start_minute: number | null;
  end_minute: number;
  timezone: string;
}

const loadConsents = statement<ConsentRow>(
  'preferences_load_consents',
  `select i.id, i.channel, c.is_critical, c.default_opt_in, c.default_channels, p.opted_in, p.source,
     q.start_minute, q.end_minute, q.timezone
   from json_to_recordset($1::json) as i (id uuid, environment_id uuid, user_key text, category text, channel text)
   join categories c on c.environment_id = i.environment_id and c.key = i.category
   left join preferences p on p.environment_id = i.environment_id and p.user_key = i.user_key
     and p.category_key = i.category and p.channel = i.channel
   left join quiet_hours q on q.environment_id = i.environment_id and q.user_key = i.user_key`,
);

/** Reads a whole batch with one query, or none when no notification names a category. */
export async function findConsents(sql: Sql, notifications: Addressed[]): Promise<Map<string, Consent>> {
  const asked = notifications.flatMap((notification) => {
    const user = preferenceUserOf(notification);
    if (!notification.category || !user) return [];
    const { id, environment_id, category, channel } = notification;
    return [{ id, environment_id, user_key: user, category, channel }];
  });
  if (asked.length === 0) return new Map();
  const rows = await loadConsents(sql, [JSON.stringify(asked)]);
  return new Map(rows.map((row) => [row.id, consentOf(row)]));
}

/** The key under which the recipient's preferences are stored. */
export function preferenceUserOf({
  external_user_id,
  address,
}: Pick<Addressed, 'external_user_id' | 'address'>): string | null {
  const user = external_user_id ?? address;
  return user === null ? null : userKeyOf(user);
}

function consentOf(row: ConsentRow): Consent {
  const cell =
    row.opted_in === null || row.source === null ? null : { opted_in: row.opted_in, source: row.source };
  const { opted_in, source } = effectiveOf(row, row.channel, cell);
  return {
    isCritical: row.is_critical,
    optedIn: opted_in,
    source,
    quietHours:
      row.start_minute === null
        ? null
        : { start_minute: row.start_minute, end_minute: row.end_minute, timezone: row.timezone },
  };
}

/**
 * The user's preference, or else the default of the category: on when the category is opted in by default and lists the
 * channel.
 */
export function effectiveOf(
  category: { default_opt_in: boolean; default_channels: readonly Channel[] },
  channel: Channel,
  cell: Cell | null,
): { opted_in: boolean; source: PreferenceSource } {
  if (cell) return { opted_in: cell.opted_in, source: cell.source };
  return {
    opted_in: category.default_opt_in && category.default_channels.includes(channel),
    source: 'default',
  };
}

/** The preferences of a person are few rows: one slice. */
export const preferenceEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, aliases }) {
    const keys = new Set([externalUserId, ...aliases].map(userKeyOf));
    await deleteDecisions(tx, environmentId, [...keys]);
    return wholeSlice;
  },
};

/**
 * The owner of a preference: the external_user_id, or else the address. Spellings of one email address are one person, so that
 * an opt-out as Ada@Example.com holds for ada@example.com; any other id is compared exactly.
 */
export function userKeyOf(user: string): string {
  if (!user.includes('@')) return user;
  const parsed = parseEmailAddress(user);
  return 'problem' in parsed ? user : emailKey(parsed.address);
}
