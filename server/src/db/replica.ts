import { steadyClock } from '../kernel/clock.ts';
import { Problem } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { Doorbell } from './doorbell.ts';
import { type Pool, query, type Sql } from './sql.ts';

/** Reads that may be a few seconds old: lists, exports and the overview. Nothing is decided by what they return. */
export interface ListReads {
  /** Reads from the replica, or from the primary when the replica may lack a write of this caller, is far behind, or fails. */
  read<Result>(callerId: string, work: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** The caller may have changed something; called when a write begins and when it ends. Costs no query. */
  wrote(callerId: string): void;
}

/** Without a replica everything is read from the primary. */
export function primaryReads(pool: Pool): ListReads {
  return { read: (_callerId, work) => work(pool), wrote: () => {} };
}

export interface ReplicaTimes {
  /** The time between two measurements of the replica. */
  measureEveryMs?: number;
  /** A replica that is further behind is not used. */
  maxLagMs?: number;
}

interface ReplicaDeps {
  primary: Pool;
  replica: Pool;
  doorbell: Pick<Doorbell, 'ring' | 'on'>;
  log: Log;
  metrics: Pick<Metrics, 'listReads' | 'replicaLag'>;
}

/** Callers share buckets, so that memory and topics are bounded; a caller in the bucket of a writer reads from the primary. */
const buckets = 4_096;
const ringEveryMs = 1_000;
/** What another process announces may be a second old, and its write may still be under way. */
const remoteMarginMs = 2_000;
const maxSamples = 60;

/**
 * The replica is asked once a second how far it has come, never per request. A sample is a position of the primary's log, taken
 * after a known time: once the replica has replayed it, the replica has every write that was acknowledged before that time. A
 * caller whose last write is older reads from the replica. Writes in other processes are announced by the doorbell.
 */
export function createReplicaReads(
  { primary, replica, doorbell, log, metrics }: ReplicaDeps,
  { measureEveryMs = 1_000, maxLagMs = 10_000 }: ReplicaTimes = {},
): ListReads & { stop(): Promise<void> } {
  const wroteAt = new Float64Array(buckets).fill(Number.NEGATIVE_INFINITY);
  const rangAt = new Float64Array(buckets).fill(Number.NEGATIVE_INFINITY);
  const stopListening = Array.from({ length: buckets }, (_, bucket) =>
    doorbell.on(topicOf(bucket), () => {
      wroteAt[bucket] = steadyClock() + remoteMarginMs;
    }),
  );

  let samples: { at: number; position: bigint }[] = [];
  /** The replica has every write that was acknowledged before this time. */
  let completeUntil = Number.NEGATIVE_INFINITY;
  let problem: string | null = 'not asked yet';

  function report(found: string | null): void {
    if (found === problem) return;
    if (found !== null)
      log.warn({ reason: found }, 'the replica cannot be used; lists are read from the primary');
    else log.info('lists are read from the replica');
    problem = found;
  }

  function leave(reason: string): void {
    samples = [];
    completeUntil = Number.NEGATIVE_INFINITY;
    report(reason);
  }

  async function measure(): Promise<void> {
    const at = steadyClock();
    const [head] = await query<ServerPosition>(primary, primaryPosition);
    const [tail] = await query<ServerPosition>(replica, replicaPosition);
    if (!head?.position || !tail) return leave('the primary gives no position');
    if (!tail.position) return leave('it is not a standby');
    if (head.installation !== tail.installation) return leave('it is a replica of another database');
    samples.push({ at, position: parsePosition(head.position) });
    if (samples.length > maxSamples) samples.shift();
    const replayed = parsePosition(tail.position);
    while (samples[0] && samples[0].position <= replayed)
      completeUntil = samples.shift()?.at ?? completeUntil;
    report(null);
  }

  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let measuring = Promise.resolve();
  function measureAgain(): void {
    measuring = measure()
      .catch((error: unknown) => leave(error instanceof Error ? error.message : String(error)))
      .then(() => {
        // Never Infinity, which dashboards cannot draw: a replica that was never complete is as old as this process.
        metrics.replicaLag.set(Math.min(steadyClock() - completeUntil, steadyClock()) / 1_000);
        if (!stopped) timer = setTimeout(measureAgain, measureEveryMs).unref();
      });
  }
  measureAgain();

  return {
    async read(callerId, work) {
      const isWriter = (wroteAt[bucketOf(callerId)] ?? 0) >= completeUntil;
      const isBehind = steadyClock() - completeUntil > maxLagMs;
      if (!isWriter && !isBehind) {
        try {
          const result = await work(replica);
          metrics.listReads.inc({ server: 'replica', reason: 'current' });
          return result;
        } catch (error) {
          // It may be gone, cancel a query for its recovery, or lack a migration. Faults of the query itself come up again.
          if (!(error instanceof Problem)) leave(error instanceof Error ? error.message : String(error));
          metrics.listReads.inc({ server: 'primary', reason: 'replica_failed' });
          return work(primary);
        }
      }
      metrics.listReads.inc({ server: 'primary', reason: isBehind ? 'replica_behind' : 'own_write' });
      return work(primary);
    },

    wrote(callerId) {
      const bucket = bucketOf(callerId);
      const now = steadyClock();
      wroteAt[bucket] = Math.max(wroteAt[bucket] ?? 0, now);
      if (now - (rangAt[bucket] ?? 0) < ringEveryMs) return;
      rangAt[bucket] = now;
      doorbell.ring(topicOf(bucket));
    },

    async stop() {
      stopped = true;
      clearTimeout(timer);
      for (const stop of stopListening) stop();
      await measuring;
      clearTimeout(timer);
    },
  };
}

interface ServerPosition {
  position: string | null;
  installation: string | null;
}

/** The id of the first organization tells installations apart, and every role may read it. */
const installation = '(select id from organizations order by id limit 1) as installation';
/** What was acknowledged has been flushed. */
const primaryPosition = `select pg_current_wal_flush_lsn()::text as position, ${installation}`;
const replicaPosition = `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end as position, ${installation}`;

/** `16/B374D848`: two hexadecimal halves of 32 bits. */
function parsePosition(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** Ids are UUIDv7, whose last digits are random. */
function bucketOf(callerId: string): number {
  return Number.parseInt(callerId.slice(-3), 16) % buckets || 0;
}

const topicOf = (bucket: number): string => `wrote:${bucket}`;
