import type { Sql } from '../../../db/sql.ts';
import { localMoment } from '../../../engine/index.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { isTimeZone } from '../../../kernel/time-zone.ts';
import type { InlineCheck } from '../../content/templates/index.ts';
import {
  checkMessage,
  checkSendAt,
  checkSender,
  type LookupSources,
  lookUp,
  type Sender,
  type SendRequest,
  sourceIdOf,
} from '../../notifications/notifications/index.ts';
import { checkTopics, readAudience } from '../../people/audiences/index.ts';
import { type BroadcastChannel, type BroadcastDefinition, broadcastLimits } from './schema.ts';
import type { ChannelContent, LocalPeriod, NewBroadcast } from './store.ts';

const hourMs = 3_600_000;
/** Local times begin 14 hours before UTC (Pacific/Kiritimati) and end 12 hours after it. */
const earliestMs = 14 * hourMs;
const latestMs = 12 * hourMs;

interface DefinitionDeps {
  pool: Sql;
  lookups: LookupSources;
  checkInline: InlineCheck;
}

/** Makes every check that is possible before the start. Throws a Problem that names the field. */
export async function checkDefinition(
  deps: DefinitionDeps,
  sender: Sender,
  definition: BroadcastDefinition,
  now: number,
  period: LocalPeriod | null = null,
): Promise<NewBroadcast> {
  const { pool } = deps;
  const { environmentId } = sender;
  refuseAttachments(definition);
  const filter = readAudience(definition.audience);
  await checkTopics(pool, environmentId, filter);
  const contents: NewBroadcast['contents'] = {};
  for (const channel of definition.channels)
    contents[channel] = await contentFor(deps, sender, definition, channel);
  const startsAt = checkTime(definition, now, period !== null);
  return {
    id: newId(now),
    environment_id: environmentId,
    status: startsAt ? 'scheduled' : 'preparing',
    name: definition.name,
    request: { audience: definition.audience, send_at: definition.send_at ?? null },
    filter,
    channels: definition.channels,
    contents,
    template_key: definition.template_key || null,
    template_data: definition.template_data ?? {},
    category: definition.category || null,
    action_url: definition.action_url || null,
    starts_at: startsAt,
    send_at_local: definition.send_at_local ?? null,
    local_from: period?.from ?? null,
    local_until: period?.until ?? null,
    timezone: checkZone(definition.timezone),
    rate_per_second: definition.rate_per_second ?? null,
    source_id: sourceIdOf(sender),
  };
}

/** Attachments belong to one notification, and are deleted with its end: a million recipients would need a million copies. */
function refuseAttachments(definition: BroadcastDefinition & { attachments?: unknown }): void {
  if (definition.attachments != null)
    throw invalidParameter(
      'attachments',
      'A broadcast takes no attachments. Put a link to the file into the message.',
    );
}

/** The content is checked by the rules of each channel, and pinned to the template version and connection of now. */
async function contentFor(
  { lookups: sources, checkInline }: DefinitionDeps,
  sender: Sender,
  definition: BroadcastDefinition,
  channel: BroadcastChannel,
): Promise<ChannelContent> {
  const { name, channels, audience, send_at, send_at_local, timezone, rate_per_second, ...message } =
    definition;
  // Last, because fields that the API does not know are still in the definition.
  const request: SendRequest = { ...message, channel, recipient: {} };
  const lookups = await lookUp(sources, sender, request);
  checkSender(lookups.senderProblem, 'channels');
  const { template_data: _shared, ...checked } = checkMessage(request, lookups, 'always');
  if (checked.inline_format === 'liquid') await checkInline(sender.environmentId, channel, checked);
  return {
    ...checked,
    template_version_id: lookups.template?.versionId ?? null,
    connection_id: lookups.connection?.id ?? null,
  };
}

function checkZone(zone: string | null | undefined): string {
  if (!zone) return 'UTC';
  if (!isTimeZone(zone))
    throw invalidParameter('timezone', 'timezone must be an IANA time zone name, such as Europe/Rome.');
  return zone;
}

/** Returns when the fan-out begins; null for now. A local time that has passed everywhere is refused unless it `mayBePast`. */
function checkTime(
  { send_at, send_at_local: local }: BroadcastDefinition,
  now: number,
  mayBePast: boolean,
): Date | null {
  if (!local) return checkSendAt(send_at ?? null, now);
  if (send_at) throw invalidParameter('send_at_local', 'Set send_at or send_at_local, not both.');
  const param = 'send_at_local';
  const inUtc = localMoment(local, 'UTC');
  // Without this check, the comparisons below would let the date pass, and everyone would get the message at once.
  if (Number.isNaN(inUtc)) throw invalidParameter(param, 'send_at_local has a date that does not exist.');
  if (inUtc + latestMs < now && !mayBePast)
    throw invalidParameter(param, 'send_at_local has passed in every time zone.');
  if (inUtc > now + broadcastLimits.localDays * 24 * hourMs)
    throw invalidParameter(param, `send_at_local must be at most ${broadcastLimits.localDays} days ahead.`);
  return inUtc - earliestMs > now ? new Date(inUtc - earliestMs) : null;
}

/** The moment of `send_at_local` for a user. A zone that this version of Node no longer knows counts as absent. */
export function localSendTime(local: string, userZone: string | null, fallbackZone: string): number {
  const zone = userZone && isTimeZone(userZone) ? userZone : fallbackZone;
  return localMoment(local, zone);
}
