import type { Channel } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { Problem } from '../../../kernel/errors.ts';
import { type BrakeNote, frozenChannel, holdPrefix, waitName } from './hold.ts';
import { type DefaultRules, withDefaults } from './rules.ts';
import type { HeldNotification, HoldPreview, HoldResponse } from './schema.ts';
import { listRules } from './store.ts';

interface HeldRow {
  id: string;
  channel: Channel;
  address: string | null;
  template_key: string | null;
  category: string | null;
}

const listHeld = statement<HeldRow>(
  'brake_list_held',
  `select id, channel, address, template_key, category from notifications
   where id = any ($1::uuid[]) and environment_id = $2`,
);

function listHeldNotifications(sql: Sql, environmentId: string, ids: string[]): Promise<HeldRow[]> {
  return listHeld(sql, [ids, environmentId]);
}

const summarize = statement<{ channel: string | null; count: number; recipients: number }>(
  'brake_summarize_held',
  `select channel, count(*)::int as count, count(distinct coalesce(external_user_id, lower(address)))::int as recipients
   from notifications where id = any ($1::uuid[]) and environment_id = $2
   group by grouping sets ((), (channel)) order by 2 desc`,
);

/** How many recipients, on whatever channels, and how many notifications on each channel. */
async function summarizeHeld(
  sql: Sql,
  environmentId: string,
  ids: string[],
): Promise<{ recipients: number; by_channel: { channel: string; count: number }[] }> {
  const rows = await summarize(sql, [ids, environmentId]);
  return {
    recipients: rows.find(({ channel }) => channel === null)?.recipients ?? 0,
    by_channel: rows.flatMap(({ channel, count }) => (channel === null ? [] : [{ channel, count }])),
  };
}

/** Shows what is held. Nothing here changes anything. */
export interface Holds {
  list(environmentId: string, kind: 'test' | 'live'): Promise<HoldResponse[]>;
  counts(
    environmentId: string,
  ): Promise<{ hold: string; count: number; is_capped: boolean; oldest_held_at: string }[]>;
  preview(environmentId: string, kind: 'test' | 'live', hold: string): Promise<HoldPreview>;
}

/** The message of a notification as it would be sent. */
interface MessageReader {
  get(
    environmentId: string,
    id: string,
  ): Promise<{ subject: string | null; text: string | null; html: string | null; error: string | null }>;
}

/** Counts stop here: they are shown to people, who need no more. */
const countLimit = 100_000;
const samplesInList = 3;
const samplesInPreview = 5;
/** The preview looks at the recipients of so many. */
const previewed = 10_000;
const textCharacters = 500;

export function createHolds(
  { pool, queue }: Pick<Deps, 'pool' | 'queue'>,
  { contents, defaults }: { contents: MessageReader; defaults: DefaultRules },
): Holds {
  async function counts(environmentId: string) {
    const rows = await queue.countWaitingFor(pool, 'notification', environmentId, holdPrefix, countLimit + 1);
    return rows.map(({ name, count, oldest_at }) => ({
      hold: name.slice(holdPrefix.length),
      count: Math.min(count, countLimit),
      is_capped: count > countLimit,
      oldest_held_at: oldest_at.toISOString(),
    }));
  }

  /** The oldest notifications of each hold. */
  async function samplesOf(
    environmentId: string,
    holds: string[],
    limit: number,
  ): Promise<(hold: string) => HeldNotification[]> {
    const waits = { environmentId, names: holds.map(waitName) };
    const work = await queue.listWaitingFor(pool, 'notification', waits, limit);
    const ids = work.map(({ id }) => id);
    const rows = await listHeldNotifications(pool, environmentId, ids);
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    const samples = work.flatMap(({ name, id, note }) => {
      const row = rowOf.get(id);
      const held = (note as BrakeNote | null)?.held;
      if (!row) return [];
      const { channel, address, template_key, category } = row;
      const sample = {
        notification_id: id,
        ...{ channel, address, template_key, category },
        held_at: held ? new Date(held.since).toISOString() : null,
        expires_at: held ? new Date(held.expires).toISOString() : null,
      };
      return [{ name, sample }];
    });
    return (hold) => samples.flatMap(({ name, sample }) => (name === waitName(hold) ? sample : []));
  }

  async function namesOf(environmentId: string, kind: 'test' | 'live'): Promise<Map<string, string>> {
    const rules = withDefaults(await listRules(pool, environmentId), defaults(kind));
    return new Map(rules.map(({ key, name }) => [key, name]));
  }

  return {
    counts,

    async list(environmentId, kind) {
      const [names, held] = await Promise.all([namesOf(environmentId, kind), counts(environmentId)]);
      const holds = held.map(({ hold }) => hold);
      const samples = await samplesOf(environmentId, holds, samplesInList);
      return held.map((each) => ({
        ...each,
        rule_name: names.get(each.hold) ?? null,
        samples: samples(each.hold),
      }));
    },

    async preview(environmentId, kind, hold) {
      const held = (await counts(environmentId)).find((each) => each.hold === hold);
      if (!held) throw new Problem('resource_not_found', 'Nothing is held under this name.');
      const waits = { environmentId, names: [waitName(hold)] };
      const work = await queue.listWaitingFor(pool, 'notification', waits, previewed);
      const [names, summary, samples] = await Promise.all([
        namesOf(environmentId, kind),
        summarizeHeld(
          pool,
          environmentId,
          work.map(({ id }) => id),
        ),
        samplesOf(environmentId, [hold], samplesInPreview),
      ]);
      return {
        ...held,
        rule_name: frozenChannel(hold) === null ? (names.get(hold) ?? null) : null,
        recipients: summary.recipients,
        by_channel: summary.by_channel,
        samples: await Promise.all(samples(hold).map(withText)),
      };

      async function withText(sample: HeldNotification): Promise<HoldPreview['samples'][number]> {
        try {
          const { subject, text, html, error } = await contents.get(environmentId, sample.notification_id);
          return { ...sample, subject, text: (text ?? html)?.slice(0, textCharacters) ?? null, error };
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          return { ...sample, subject: null, text: null, error: error.message };
        }
      }
    },
  };
}
