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
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    registry,
    httpDuration: new Histogram({
      name: 'carillon_http_request_duration_seconds',
      help: 'Duration of requests.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
      registers,
    }),
    accepted: counter('carillon_notifications_accepted_total', 'Notifications accepted.', ['channel']),
    attempts: counter('carillon_provider_attempts_total', 'Provider attempts, by outcome.', [
      'channel',
      'provider_kind',
      'outcome',
    ]),
    settled: counter(
      'carillon_notifications_settled_total',
      'Notifications that left the queue, by final status.',
      ['channel', 'status'],
    ),
    acceptToAttempt: new Histogram({
      name: 'carillon_accept_to_attempt_seconds',
      help: 'From acceptance to the first provider call.',
      labelNames: ['lane'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers,
    }),
    webhookAttempts: counter('carillon_webhook_attempts_total', 'Calls to webhook endpoints, by outcome.', [
      'outcome',
    ]),
    pushes: counter('carillon_pushes_total', 'Pushes to devices, by outcome.', ['kind', 'outcome']),
    inFlight: new Gauge({
      name: 'carillon_work_in_flight',
      help: 'Jobs leased by the processes of this service.',
      labelNames: ['kind'],
      registers,
    }),
    rescued: counter('carillon_work_rescued_total', 'Jobs rescued from dead workers.', ['kind']),
    outcomeWriteFailures: counter(
      'carillon_outcome_write_failures_total',
      'Failed attempts to write an outcome that fails alone; the attempts go on until one succeeds.',
      ['kind'],
    ),
    activeThrottles: new Gauge({
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
    objectStoreCalls: counter('carillon_object_store_calls_total', 'Calls to the object store, by outcome.', [
      'operation',
      'outcome',
    ]),
    listReads: counter(
      'carillon_list_reads_total',
      'Reads of lists and the overview with a replica configured, by server and reason.',
      ['server', 'reason'],
    ),
    replicaLag: new Gauge({
      name: 'carillon_replica_lag_seconds',
      help: 'How far the replica for lists is behind, as last measured.',
      aggregator: 'max',
      registers,
    }),
    smtpMessages: counter(
      'carillon_smtp_messages_total',
      'Messages submitted by SMTP: accepted, deferred (try again) or rejected.',
      ['outcome'],
    ),
    smtpSignIns: counter('carillon_smtp_sign_ins_total', 'Sign-ins by SMTP: accepted or rejected.', [
      'outcome',
    ]),
    smtpConnections: new Gauge({
      name: 'carillon_smtp_connections_open',
      help: 'Open SMTP connections.',
      registers,
    }),
    callbacks: counter(
      'carillon_callback_reports_total',
      'Provider reports: applied, duplicate or about unknown messages; and rejected calls.',
      ['provider_kind', 'outcome'],
    ),
    openStreams: new Gauge({
      name: 'carillon_event_streams_open',
      help: 'Open event streams.',
      registers,
    }),
  };
}
