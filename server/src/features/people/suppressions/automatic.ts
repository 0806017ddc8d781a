import { isPlainAddress, parseAddressKey } from '../../../channels/address-key.ts';
import type { Channel } from '../../../channels/contract.ts';
import { magicAddresses, magicNumbers } from '../../../channels/sandbox/index.ts';
import { addressKeyOn, channelSpecs } from '../../../channels/specs.ts';
import type { Sql } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import type { SuppressionReason, SuppressionSource } from './schema.ts';
import { deleteUnsubscribed, insertSuppressions, listSuppressed, type SuppressionRow } from './store.ts';

/** The fields of a notification that the suppression list needs. */
interface Addressee {
  id: string;
  environment_id: string;
  channel: Channel;
  address: string | null;
}

/** A provider's final report about a recipient: a hard bounce, a complaint or an unsubscribe. */
export interface Refusal extends Addressee {
  reason: Exclude<SuppressionReason, 'manual_add'>;
  detail: string | null;
}

const maxDetail = 1_000;
/** An unsubscribe comes from the recipient, even when a provider reports it; bounces and complaints come from the provider. */
const sourceOf: Record<Refusal['reason'], SuppressionSource> = {
  hard_bounce: 'provider',
  complaint: 'provider',
  unsubscribed: 'recipient',
};
const magic = new Set([...magicAddresses, ...magicNumbers]);

/**
 * Runs in the transaction that records the refusal, so that neither exists without the other. The sandbox addresses are not
 * suppressed, or each would work only once; `bounced+anything@sandbox.test` behaves like a real address.
 */
export async function suppressRefused(sql: Sql, refusals: Refusal[], now: number): Promise<void> {
  const rows = refusals.flatMap((refusal): SuppressionRow[] => {
    const address = addressKeyOn(refusal.channel, refusal.address);
    if (address === null || magic.has(address)) return [];
    return [
      {
        id: newId(now),
        environment_id: refusal.environment_id,
        address,
        reason: refusal.reason,
        source: sourceOf[refusal.reason],
        diagnostic_detail: refusal.detail?.slice(0, maxDetail) ?? null,
        triggering_notification_id: refusal.id,
      },
    ];
  });
  await insertSuppressions(sql, rows);
}

/** A person's message to a provider about all sends: stop (STOP) or resume (START). */
export interface OptOutChange {
  environmentId: string;
  address: string;
  wants: 'nothing' | 'again';
  detail: string;
}

/** Changes apply in their order: the last one of a person wins. */
export async function applyOptOuts(sql: Sql, changes: readonly OptOutChange[], now: number): Promise<void> {
  const last = new Map<string, OptOutChange>();
  for (const change of changes) {
    const parsed = parseAddressKey(change.address);
    if ('problem' in parsed || magic.has(parsed.key)) continue;
    last.set(`${change.environmentId} ${parsed.key}`, { ...change, address: parsed.key });
  }
  const all = [...last.values()];
  await deleteUnsubscribed(
    sql,
    all.filter(({ wants }) => wants === 'again'),
  );
  await insertSuppressions(
    sql,
    all
      .filter(({ wants }) => wants === 'nothing')
      .map(({ environmentId, address, detail }) => ({
        id: newId(now),
        environment_id: environmentId,
        address,
        reason: 'unsubscribed',
        source: 'recipient',
        diagnostic_detail: detail.slice(0, maxDetail),
        triggering_notification_id: null,
      })),
  );
}

/** The part of an entry that says why a notification is not sent. */
export type KnownSuppression = Pick<SuppressionRow, 'id' | 'reason'>;

const keyedChannels = Object.entries(channelSpecs).flatMap(([channel, { recipient }]) =>
  recipient.addressKey ? `'${channel}'` : [],
);

/**
 * SQL for statements that load notifications: the entry of the suppression list for the address of a row. The key of a plain address is
 * the address in lower case; `findSuppressed` finds those of the others.
 */
export const suppressionSql = (row: string): string =>
  `(select json_build_object('id', s.id, 'reason', s.reason) from suppressions s
    where ${row}.channel in (${keyedChannels.join(', ')}) and s.environment_id = ${row}.environment_id
      and s.address = lower(${row}.address collate "C") collate "default")`;

/** Whether `suppressionSql` cannot know the key of the address. */
export const needsAddressKey = ({ address }: Pick<Addressee, 'address'>): boolean =>
  address !== null && !isPlainAddress(address);

/** Returns the notifications that go to a suppressed address, with one query at most. */
export async function findSuppressed(
  sql: Sql,
  addressees: Addressee[],
): Promise<Map<string, SuppressionRow>> {
  const wanted = addressees.flatMap((addressee) => {
    const address = addressKeyOn(addressee.channel, addressee.address);
    return address === null ? [] : [{ id: addressee.id, environmentId: addressee.environment_id, address }];
  });
  if (wanted.length === 0) return new Map();
  const rows = await listSuppressed(sql, wanted);
  if (rows.length === 0) return new Map();
  const byAddress = new Map(rows.map((row) => [`${row.environment_id} ${row.address}`, row]));
  return new Map(
    wanted.flatMap(({ id, environmentId, address }) => {
      const row = byAddress.get(`${environmentId} ${address}`);
      return row ? [[id, row]] : [];
    }),
  );
}
