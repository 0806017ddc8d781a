import type { Outbound } from './channels/http.ts';
import type { Http2Client } from './channels/http2.ts';
import type { Config } from './config.ts';
import type { DatabaseContact } from './db/contact.ts';
import type { Doorbell } from './db/doorbell.ts';
import type { ListReads } from './db/replica.ts';
import type { Pool } from './db/sql.ts';
import type { Authenticator, RecipientAuthenticator } from './http/principal.ts';
import type { Clock } from './kernel/clock.ts';
import type { Keyring } from './kernel/crypto.ts';
import type { Log } from './kernel/log.ts';
import type { Metrics, Scrape } from './kernel/metrics.ts';
import type { ObjectStore } from './kernel/object-store.ts';
import type { StorageMeter } from './kernel/storage.ts';
import type { Tracer } from './kernel/tracing.ts';
import type { Queue } from './queue/index.ts';
import type { TaskPool } from './threads/pool.ts';

/** The dependencies of the features, built by hand in app.ts and passed in. Tests override fields. */
export interface Deps {
  config: Config;
  log: Log;
  clock: Clock;
  pool: Pool;
  /** Commits without waiting for the disk, for writes that a crash of the database may lose. */
  claimPool: Pool;
  /** For lists, exports and the overview, which may be read from a replica. */
  listReads: ListReads;
  /** Whether the database answers at all. */
  contact: DatabaseContact;
  keyring: Keyring;
  doorbell: Doorbell;
  queue: Queue;
  metrics: Metrics;
  /** The answer of /metrics. */
  scrape: Scrape;
  /** The counts of the overview. */
  activity: Activity;
  /** The storage quotas of environments. */
  storage: StorageMeter;
  tracer: Tracer;
  authenticator: Authenticator;
  recipients: RecipientAuthenticator;
  /** The only way to make outbound HTTP calls. */
  outbound: Outbound;
  /** The same for services that expect HTTP/2. */
  http2: Http2Client;
  /** Where attachments and large bodies are; null when they are in the database. */
  objectStore: ObjectStore | null;
  /** Runs computations on tenants' input; see docs/adr/0017. */
  tasks: TaskPool;
  /** The public URL, without a trailing slash; known once the port is. */
  publicUrl: () => string;
}

/** Counts events for the charts. One count costs a map lookup; the database is written every few seconds. */
export interface Activity {
  count(environmentId: string, channel: string, outcome: ActivityOutcome): void;
  /** Records the time from when the notification was due to when a provider accepted it. In addition to `count`. */
  took(environmentId: string, channel: string, latencyMs: number): void;
  /** Counts a call to a webhook endpoint. */
  called(environmentId: string, endpointId: string, succeeded: boolean, latencyMs: number): void;
  /** Counts a triggered run of a workflow. */
  triggered(workflowId: string): void;
  /** Writes the counts so far. */
  flush(): Promise<void>;
}

/** The events of a notification that a chart counts. Events, not statuses: one notification is accepted, then sent, … */
export type ActivityOutcome =
  | 'accepted'
  | 'sent'
  | 'delivered'
  | 'failed'
  | 'suppressed'
  | 'bounced'
  | 'complained'
  | 'retried';
