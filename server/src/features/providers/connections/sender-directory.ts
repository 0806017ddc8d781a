import type { Channel } from '../../../channels/contract.ts';
import type { Config } from '../../../config.ts';
import { isDatabaseUnavailable, type Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { createCache } from '../../../kernel/cache.ts';
import { emailProblem } from './email/senders.ts';
import { listVersionedSettings, noSettings } from './email/store.ts';
import { smsProblem } from './sms/senders.ts';
import { listVersionedSmsSettings } from './sms/store.ts';

/** The lifetime of a cached answer: the longest time for which another process accepts sends without their provider. */
const memoryMs = 1_000;
const memorySize = 10_000;

/** For the accept path: whether a Live environment has what a channel needs. Answers from the cache most of the time. */
export interface SenderDirectory {
  /** Why the environment cannot send on the channel, and what to set; null when it can. */
  findSenderProblem(environmentId: string, channel: Channel): Promise<string | null> | null;
  /** Makes a change by this process visible to it at once. */
  forgetSender(environmentId: string, channel: SettingsChannel): void;
}

type SettingsChannel = 'email' | 'sms';

export function createSenderDirectory({ pool, config }: Pick<Deps, 'pool' | 'config'>): SenderDirectory {
  /** Only the channels in the cache can send. */
  const ready = createCache<true>(memorySize, memoryMs);
  const nameOf = (environmentId: string, channel: Channel): string => `${channel} ${environmentId}`;

  // Requests that arrive while a query is running go into the next one.
  const loads = createBatcher(
    async (wanted: { environmentId: string; channel: SettingsChannel }[]) => {
      const idsOn = (channel: SettingsChannel): string[] => [
        ...new Set(wanted.flatMap((one) => (one.channel === channel ? one.environmentId : []))),
      ];
      const problems = {
        email: await listSenderProblems(pool, config, 'email', idsOn('email')),
        sms: await listSenderProblems(pool, config, 'sms', idsOn('sms')),
      };
      return wanted.map(({ environmentId, channel }) => problems[channel].get(environmentId) ?? null);
    },
    { concurrency: 2, maxItems: 500, splitOn: (error: unknown) => !isDatabaseUnavailable(error) },
  );

  return {
    findSenderProblem(environmentId, channel) {
      if (!isSettingsChannel(channel)) return null;
      const name = nameOf(environmentId, channel);
      // A refusal never comes from the cache: settings saved through another process are usable here at once.
      if (ready.has(name)) return null;
      return loads.add({ environmentId, channel }).then((problem) => {
        if (problem === null) ready.set(name, true);
        return problem;
      });
    },
    forgetSender(environmentId, channel) {
      ready.delete(nameOf(environmentId, channel));
    },
  };
}

const isSettingsChannel = (channel: Channel): channel is SettingsChannel =>
  channel === 'email' || channel === 'sms';

/** The same without a cache, in a transaction. */
export async function findSenderProblem(
  sql: Sql,
  config: Config,
  environmentId: string,
  channel: Channel,
): Promise<string | null> {
  if (!isSettingsChannel(channel)) return null;
  return (await listSenderProblems(sql, config, channel, [environmentId])).get(environmentId) ?? null;
}

/** The problem of each environment; those that can send have none. */
async function listSenderProblems(
  sql: Sql,
  config: Config,
  channel: SettingsChannel,
  environmentIds: string[],
): Promise<Map<string, string | null>> {
  if (environmentIds.length === 0) return new Map();
  if (channel === 'email') {
    const settings = await listVersionedSettings(sql, environmentIds);
    return new Map(
      environmentIds.map((id) => [id, emailProblem(config, id, settings.get(id) ?? noSettings)]),
    );
  }
  const settings = await listVersionedSmsSettings(sql, environmentIds);
  return new Map(environmentIds.map((id) => [id, smsProblem(config, id, settings.get(id)?.providers ?? [])]));
}
