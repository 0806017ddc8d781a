import type { Log } from '../kernel/log.ts';
import type { DatabaseContact } from './contact.ts';
import { HostClient, HostList } from './hosts.ts';
import { isReadOnly, keepAlive, type Pool } from './sql.ts';

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

export interface DoorbellOptions {
  contact?: Pick<DatabaseContact, 'answered' | 'suspect'>;
  /** A connection that only listens notices nothing when its server disappears. */
  pingEveryMs?: number;
  answerWithinMs?: number;
}

const channel = 'carillon';
const reconnectMs = 500;
const goodbyeMs = 1_000;

export function createDoorbell(
  pool: Pool,
  connectionString: string,
  log: Log,
  options: DoorbellOptions = {},
): Doorbell {
  const listeners = new Map<string, Set<() => void>>();
  const toRing = new Set<string>();
  let ringing = false;
  let stopped = false;

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

  const connection = keepListening(connectionString, log, options, {
    rang: notifyLocal,
    // Rings may have been lost while the listener was disconnected: poll every topic once.
    connected() {
      for (const topic of listeners.keys()) notifyLocal(topic);
    },
  });

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
    stop() {
      stopped = true;
      return connection.stop();
    },
  };
}

/** Keeps one connection that listens, and replaces it when it is lost or its server does not answer a ping. */
function keepListening(
  connectionString: string,
  log: Log,
  { contact, pingEveryMs = 10_000, answerWithinMs = 5_000 }: DoorbellOptions,
  { rang, connected }: { rang(topic: string): void; connected(): void },
): { stop(): Promise<void> } {
  const hostList = new HostList(connectionString);
  let client: HostClient | null = null;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  function connect(): void {
    if (stopped) return;
    const connection = new HostClient({
      hostList,
      options: hostList.hosts.options,
      ...keepAlive,
      connectionTimeoutMillis: answerWithinMs,
      query_timeout: answerWithinMs,
    });
    let nextPing: NodeJS.Timeout | undefined;
    client = connection;
    const lost = (): void => {
      clearTimeout(nextPing);
      if (client !== connection) return;
      client = null;
      // The socket is destroyed, not closed: closing waits for a server that is gone, and a late answer must not be read.
      connection.connection.stream.destroy();
      if (!stopped) retry = setTimeout(connect, reconnectMs);
    };
    const ping = async (): Promise<void> => {
      try {
        const { rows } = await connection.query<{ standby: boolean }>(
          'select pg_is_in_recovery() as standby',
        );
        if (client !== connection) return;
        if (rows[0]?.standby) throw new Error('the server is a standby');
        contact?.answered();
        nextPing = setTimeout(ping, pingEveryMs);
      } catch (error) {
        if (client !== connection) return;
        log.warn({ err: error }, 'the connection that listens gave no answer; connecting again');
        contact?.suspect();
        lost();
      }
    };
    connection.on('notification', ({ payload }) => {
      if (payload) rang(payload);
    });
    connection
      .connect()
      .then(() => {
        // Only now: while the hosts of the list are tried, the connection to one of them may end.
        connection.on('error', lost);
        connection.on('end', lost);
        return connection.query(`listen ${channel}`);
      })
      .then(() => {
        contact?.answered();
        nextPing = setTimeout(ping, pingEveryMs);
        connected();
      })
      .catch((error) => {
        if (isReadOnly(error)) {
          // A standby answers, but cannot listen: connections of the pools may lead there too.
          contact?.answered();
          contact?.suspect();
        }
        lost();
      });
  }
  connect();

  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      const last = client;
      client = null;
      if (!last) return;
      // A server that is gone does not answer the goodbye.
      const late = setTimeout(() => last.connection.stream.destroy(), goodbyeMs);
      await last.end().catch(() => {});
      clearTimeout(late);
    },
  };
}
