import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** The metrics of one process at one moment, as data that can be sent to another process. */
export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];

/** The metrics of this process with gauges that are read at the time of the scrape. */
export interface Scrape {
  /** The answer of /metrics; with several processes, the sum of all. */
  text(): Promise<string>;
  /** The part of this process in a scrape that another process answers. */
  snapshot(): Promise<MetricsSnapshot>;
}

/** The metrics of /metrics. Labels are bounded sets only (routes, channels, kinds); never ids or addresses. */
export interface Metrics {
  registry: Registry;
  httpDuration: Histogram<'operation' | 'status'>;
  accepted: Counter<'channel'>;
  attempts: Counter<'channel' | 'provider_kind' | 'outcome'>;
  settled: Counter<'channel' | 'status'>;
  acceptToAttempt: Histogram<'lane'>;
  webhookAttempts: Counter<'outcome'>;
  pushes: Counter<'kind' | 'outcome'>;
  inFlight: Gauge<'kind'>;
  rescued: Counter<'kind'>;
  outcomeWriteFailures: Counter<'kind'>;
  callbacks: Counter<'provider_kind' | 'outcome'>;
  openStreams: Gauge;
  pausedPaces: Gauge;
  providerOutages: Gauge;
  objectStoreCalls: Counter<'operation' | 'outcome'>;
  listReads: Counter<'server' | 'reason'>;
  replicaLag: Gauge;
  smtpMessages: Counter<'outcome'>;
  smtpSignIns: Counter<'outcome'>;
  smtpConnections: Gauge;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    httpDuration: new Histogram({
      name: 'carillon_http_request_duration_seconds',
      help: 'Duration of requests.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    accepted: new Counter({
      name: 'carillon_notifications_accepted_total',
      help: 'Notifications accepted.',
      labelNames: ['channel'],
      registers,
    }),
    attempts: new Counter({
      name: 'carillon_provider_attempts_total',
      help: 'Provider attempts, by outcome.',
      labelNames: ['channel', 'provider_kind', 'outcome'],
      registers,
    }),
    settled: new Counter({
      name: 'carillon_notifications_settled_total',
      help: 'Notifications that left the queue, by final status.',
      labelNames: ['channel', 'status'],
      registers,
    }),
    acceptToAttempt: new Histogram({
      name: 'carillon_accept_to_attempt_seconds',
      help: 'From acceptance to the first provider call.',
      labelNames: ['lane'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'carillon_webhook_attempts_total',
      help: 'Calls to webhook endpoints, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    pushes: new Counter({
      name: 'carillon_pushes_total',
      help: 'Pushes to devices, by outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    inFlight: new Gauge({
      name: 'carillon_work_in_flight',
      help: 'Jobs leased by the processes of this service.',
      labelNames: ['kind'],
      registers,
    }),
    rescued: new Counter({
      name: 'carillon_work_rescued_total',
      help: 'Jobs rescued from dead workers.',
      labelNames: ['kind'],
      registers,
    }),
    outcomeWriteFailures: new Counter({
      name: 'carillon_outcome_write_failures_total',
      help: 'Failed attempts to write an outcome that fails alone; the attempts go on until one succeeds.',
      labelNames: ['kind'],
      registers,
    }),
    pausedPaces: new Gauge({
      name: 'carillon_provider_pauses',
      help: 'Active provider throttles in all environments, as last read.',
      aggregator: 'max', // every process reads the same number from the database
      registers,
    }),
    providerOutages: new Gauge({
      name: 'carillon_provider_outages',
      help: 'Email providers in an outage in all environments, as last read.',
      aggregator: 'max',
      registers,
    }),
    objectStoreCalls: new Counter({
      name: 'carillon_object_store_calls_total',
      help: 'Calls to the object store, by outcome.',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    listReads: new Counter({
      name: 'carillon_list_reads_total',
      help: 'Reads of lists and the overview with a replica configured, by server and reason.',
      labelNames: ['server', 'reason'],
      registers,
    }),
    replicaLag: new Gauge({
      name: 'carillon_replica_lag_seconds',
      help: 'How far the replica for lists is behind, as last measured.',
      aggregator: 'max',
      registers,
    }),
    smtpMessages: new Counter({
      name: 'carillon_smtp_messages_total',
      help: 'Messages submitted by SMTP: accepted, deferred (try again) or rejected.',
      labelNames: ['outcome'],
      registers,
    }),
    smtpSignIns: new Counter({
      name: 'carillon_smtp_sign_ins_total',
      help: 'Sign-ins by SMTP: accepted or rejected.',
      labelNames: ['outcome'],
      registers,
    }),
    smtpConnections: new Gauge({
      name: 'carillon_smtp_connections_open',
      help: 'Open SMTP connections.',
      registers,
    }),
    callbacks: new Counter({
      name: 'carillon_callback_reports_total',
      help: 'Provider reports: applied, duplicate or about unknown messages; and rejected calls.',
      labelNames: ['provider_kind', 'outcome'],
      registers,
    }),
    openStreams: new Gauge({
      name: 'carillon_event_streams_open',
      help: 'Open event streams.',
      registers,
    }),
  };
}
