import pg from 'pg';
import type { Log } from '../kernel/log.ts';
import type { Pool } from './sql.ts';

/**
 * LISTEN/NOTIFY as a doorbell: a ring means "poll now" and has no content, so a lost ring costs a poll interval and nothing
 * else. Rings are sent outside transactions and coalesced (NOTIFY inside one cost 36 % of throughput). The listener has a
 * direct connection of its own, so poolers are allowed everywhere else.
 */
export interface Doorbell {
  ring(topic: string): void;
  /** Returns a function that stops listening. */
  on(topic: string, listener: () => void): () => void;
  stop(): Promise<void>;
}

const channel = 'carillon';

export function createDoorbell(pool: Pool, connectionString: string, log: Log): Doorbell {
  const listeners = new Map<string, Set<() => void>>();
  const toRing = new Set<string>();
  let ringing = false;
  let client: pg.Client | null = null;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  function notifyLocal(topic: string): void {
    for (const listener of listeners.get(topic) ?? []) listener();
  }

  async function flush(): Promise<void> {
    ringing = true;
    while (toRing.size > 0 && !stopped) {
      const topics = [...toRing];
      toRing.clear();
      try {
        await pool.query({
          name: 'ring',
          text: 'select pg_notify($1, t) from unnest($2::text[]) t',
          values: [channel, topics],
        });
      } catch (error) {
        log.debug({ err: error }, 'a NOTIFY failed; the next poll finds the work');
      }
    }
    ringing = false;
  }

  function connect(): void {
    if (stopped) return;
    const connection = new pg.Client({ connectionString, keepAlive: true });
    client = connection;
    const lost = (): void => {
      if (client !== connection) return;
      client = null;
      connection.end().catch(() => {});
      if (!stopped) retry = setTimeout(connect, 500);
    };
    connection.on('error', lost);
    connection.on('end', lost);
    connection.on('notification', (message) => {
      if (message.payload) notifyLocal(message.payload);
    });
    connection
      .connect()
      .then(() => connection.query(`listen ${channel}`))
      // Rings may have been lost while the listener was disconnected: poll every topic once.
      .then(() => {
        for (const topic of listeners.keys()) notifyLocal(topic);
      })
      .catch(lost);
  }
  connect();

  return {
    ring(topic) {
      toRing.add(topic);
      if (!ringing) void flush();
    },
    on(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
      };
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}
