import type { SendersFor, SendingEnvironment } from '../../../channels/delivery-plan.ts';
import { createCache } from '../../../kernel/cache.ts';

/** Settings with their version, which changes with every write of the row, also by another release. */
export type Versioned<Settings> = Settings & { version: string };

interface SenderCacheOptions<Settings, Sender> {
  /** Environments without settings are left out. */
  read(environmentIds: string[]): Promise<Map<string, Versioned<Settings>>>;
  make(environmentId: string, settings: Versioned<Settings> | undefined): Sender | Promise<Sender>;
  clock: () => number;
}

/** Senders are recreated this often, because a carrier that is not asked for is closed after five minutes. */
const renewMs = 60_000;

/**
 * Senders of environments. A cached sender is used only for the version of the settings that it was made from, and the dispatch
 * job reads that version after the notification was accepted: a setting saved before a send applies to it, in every process,
 * without an extra query.
 */
export function createSenderCache<Settings, Sender>({
  read,
  make,
  clock,
}: SenderCacheOptions<Settings, Sender>): SendersFor<Sender> {
  const cached = createCache<{ sender: Sender; version: string | null; madeAt: number }>(10_000);

  return async (environments) => {
    const now = clock();
    const senders = new Map<string, Sender>();
    const missing: SendingEnvironment[] = [];
    for (const environment of environments) {
      const entry = cached.get(environment.id);
      if (entry && entry.version === environment.settingsVersion && now - entry.madeAt < renewMs)
        senders.set(environment.id, entry.sender);
      else missing.push(environment);
    }
    if (missing.length === 0) return senders;
    const found = await read(missing.map(({ id }) => id));
    for (const environment of missing) {
      const settings = found.get(environment.id);
      const sender = await make(environment.id, settings);
      cached.set(environment.id, { sender, version: settings?.version ?? null, madeAt: now });
      senders.set(environment.id, sender);
    }
    return senders;
  };
}

/** SQL for statements that load notifications: the version of the settings for a channel of an environment. */
export function settingsVersionSql(channel: string, environmentId: string): string {
  const versionIn = (table: string): string =>
    `(select s.xmin::text from ${table} s where s.environment_id = ${environmentId})`;
  return `case ${channel} when 'email' then ${versionIn('email_settings')} when 'sms' then ${versionIn('sms_settings')} when 'in_app' then ${versionIn('push_settings')} end`;
}
