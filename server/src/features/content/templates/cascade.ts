import type { Channel } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Caller } from '../../../http/principal.ts';
import { promoteTemplate, recordPromotion } from './promote.ts';
import type { TemplatePromotion } from './schema.ts';
import { findTemplate } from './store.ts';

/** Access to templates for features that refer to them, inside the caller's transaction. */

const listRows = statement<{ key: string; channels: Channel[] }>(
  'templates_list_channels',
  `select t.key, v.channels
   from templates t
   join template_versions v on v.id = t.current_version_id
   where t.environment_id = $1 and t.key = any ($2::text[])
   order by t.key
   for share of t`,
);

/** Key → channels that the template has a body for. The templates cannot be deleted until the transaction ends. */
export async function listTemplateChannels(
  tx: Sql,
  environmentId: string,
  keys: string[],
): Promise<Map<string, ReadonlySet<Channel>>> {
  if (keys.length === 0) return new Map();
  const rows = await listRows(tx, [environmentId, keys]);
  return new Map(rows.map(({ key, channels }) => [key, new Set(channels)]));
}

/** Returns null when the caller's environment has no such template. With `now` null, only the diff is computed. */
export async function promoteTemplateWithin(
  tx: Sql,
  caller: Caller,
  key: string,
  target: { environmentId: string; now: number | null },
): Promise<{ diff: TemplatePromotion['template_diff']; channels: ReadonlySet<Channel> } | null> {
  const source = await findTemplate(tx, caller.principal.environmentId, key, null);
  if (!source) return null;
  const promoted = await promoteTemplate(tx, source, target.environmentId, target.now);
  await recordPromotion(tx, caller, target.environmentId, promoted);
  return { diff: promoted.diff, channels: new Set(source.bodies.map(({ channel }) => channel)) };
}
