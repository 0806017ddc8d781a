/** The Grafana dashboard as a table: what an operator looks at first is at the top. */
interface Panel {
  title: string;
  description: string;
  unit: 'reqps' | 'ops' | 's' | 'short' | 'percentunit' | 'bytes';
  /** Expression → legend. */
  queries: Record<string, string>;
  stacked?: true;
}

const of = '{job=~"$job"}';
const where = (matchers: string): string => `{job=~"$job", ${matchers}}`;
const rate = (selector: string): string => `rate(${selector}[$__rate_interval])`;
const perSecond = (metric: string, ...labels: string[]): string =>
  `sum by (${labels.join(', ')}) (${rate(`${metric}${of}`)})`;
const quantile = (q: number, metric: string, label: string): string =>
  `histogram_quantile(${q}, sum by (${label}, le) (${rate(`${metric}_bucket${of}`)}))`;

const requests = 'carillon_http_request_duration_seconds';
const attempts = 'carillon_provider_attempts_total';

const rows: Record<string, Panel[]> = {
  Notifications: [
    {
      title: 'Accepted',
      description: 'Notifications that the API has accepted, by channel.',
      unit: 'ops',
      queries: { [perSecond('carillon_notifications_accepted_total', 'channel')]: '{{channel}}' },
      stacked: true,
    },
    {
      title: 'Settled',
      description: 'Notifications that have left the queue, by final status.',
      unit: 'ops',
      queries: { [perSecond('carillon_notifications_settled_total', 'status')]: '{{status}}' },
      stacked: true,
    },
    {
      title: 'Accepted to first attempt',
      description: 'Waiting time of notifications before the first call to a provider, p95 by priority.',
      unit: 's',
      queries: { [quantile(0.95, 'carillon_accept_to_attempt_seconds', 'lane')]: '{{lane}}' },
    },
    {
      title: 'Ready jobs',
      description: 'Ready, not yet claimed. Normally close to zero; counting stops at 10,000.',
      unit: 'short',
      queries: { [`max by (kind, lane) (carillon_queue_waiting${of})`]: '{{kind}} {{lane}}' },
    },
  ],
  Requests: [
    {
      title: 'Requests',
      description: 'The ten busiest operations.',
      unit: 'reqps',
      queries: { [`topk(10, ${perSecond(`${requests}_count`, 'operation')})`]: '{{operation}}' },
    },
    {
      title: 'Duration',
      description: 'Of all requests.',
      unit: 's',
      queries: Object.fromEntries(
        [0.5, 0.95, 0.99].map((q) => [
          `histogram_quantile(${q}, sum by (le) (${rate(`${requests}_bucket${of}`)}))`,
          `p${q * 100}`,
        ]),
      ),
    },
    {
      title: 'Errors',
      description: 'Responses with an error status.',
      unit: 'reqps',
      queries: {
        [`sum by (status) (${rate(`${requests}_count${where('status=~"[45].."')}`)})`]: '{{status}}',
      },
    },
    {
      title: 'Open event streams',
      description: 'Inboxes and dashboards that wait for events.',
      unit: 'short',
      queries: { [`sum(carillon_event_streams_open${of})`]: 'streams' },
    },
    {
      title: 'SMTP in',
      description: 'Messages and sign-ins of mail software, by outcome; and its open connections.',
      unit: 'short',
      queries: {
        [perSecond('carillon_smtp_messages_total', 'outcome')]: 'messages {{outcome}} per second',
        [perSecond('carillon_smtp_sign_ins_total', 'outcome')]: 'sign-ins {{outcome}} per second',
        [`sum(carillon_smtp_connections_open${of})`]: 'connections',
      },
    },
  ],
  Delivery: [
    {
      title: 'Attempts',
      description: 'Calls to providers, by outcome.',
      unit: 'ops',
      queries: { [perSecond(attempts, 'outcome')]: '{{outcome}}' },
      stacked: true,
    },
    {
      title: 'Failing attempts',
      description: 'Share of the attempts that have to be repeated, by provider.',
      unit: 'percentunit',
      queries: {
        [`sum by (provider_kind) (${rate(`${attempts}${where('outcome=~"retry|broken|ambiguous"')}`)}) / ${perSecond(attempts, 'provider_kind')}`]:
          '{{provider_kind}}',
      },
    },
    {
      title: 'Providers',
      description: 'Email providers in an outage, and providers that asked to be called less often.',
      unit: 'short',
      queries: {
        [`max(carillon_provider_outages${of})`]: 'outages',
        [`max(carillon_provider_pauses${of})`]: 'throttled',
      },
    },
    {
      title: 'Webhook calls',
      description: 'Calls to webhook endpoints, by outcome.',
      unit: 'ops',
      queries: { [perSecond('carillon_webhook_attempts_total', 'outcome')]: '{{outcome}}' },
      stacked: true,
    },
    {
      title: 'Provider reports',
      description: 'Deliveries, bounces and other callbacks of providers.',
      unit: 'ops',
      queries: {
        [perSecond('carillon_callback_reports_total', 'provider_kind', 'outcome')]:
          '{{provider_kind}} {{outcome}}',
      },
    },
    {
      title: 'Jobs in flight',
      description: 'Jobs that workers have claimed, by kind.',
      unit: 'short',
      queries: { [`sum by (kind) (carillon_work_in_flight${of})`]: '{{kind}}' },
      stacked: true,
    },
    {
      title: 'Rescued jobs',
      description:
        'Jobs of workers that died, claimed by others, and outcomes that cannot be written. Zero unless a process was killed.',
      unit: 'ops',
      queries: {
        [perSecond('carillon_work_rescued_total', 'kind')]: '{{kind}}',
        [perSecond('carillon_outcome_write_failures_total', 'kind')]: '{{kind}}: outcome not written',
      },
    },
    {
      title: 'Pushes',
      description: 'Calls to push services, by kind of device and outcome.',
      unit: 'ops',
      queries: { [perSecond('carillon_pushes_total', 'kind, outcome')]: '{{kind}} {{outcome}}' },
    },
  ],
  'Database and processes': [
    {
      title: 'Database connections',
      description: 'Connections, and callers that wait for one (awaited).',
      unit: 'short',
      queries: { [`sum by (state) (carillon_database_connections${of})`]: '{{state}}' },
    },
    {
      title: 'Reads of lists',
      description: 'With a replica configured: which server answered, and why.',
      unit: 'ops',
      queries: { [perSecond('carillon_list_reads_total', 'server', 'reason')]: '{{server}} {{reason}}' },
    },
    {
      title: 'Replica lag',
      description: 'How far the replica for lists is behind.',
      unit: 's',
      queries: { [`max(carillon_replica_lag_seconds${of})`]: 'lag' },
    },
    {
      title: 'Object store calls',
      description: 'By operation and outcome.',
      unit: 'ops',
      queries: {
        [perSecond('carillon_object_store_calls_total', 'operation', 'outcome')]: '{{operation}} {{outcome}}',
      },
    },
    {
      title: 'Processes',
      description: 'Processes that answer, by instance.',
      unit: 'short',
      queries: { [`sum by (instance) (carillon_processes${of})`]: '{{instance}}' },
      stacked: true,
    },
    {
      title: 'CPU',
      description: 'Cores in use.',
      unit: 'short',
      queries: { [perSecond('process_cpu_seconds_total', 'instance')]: '{{instance}}' },
    },
    {
      title: 'Memory',
      description: 'Resident memory.',
      unit: 'bytes',
      queries: { [`sum by (instance) (process_resident_memory_bytes${of})`]: '{{instance}}' },
    },
    {
      title: 'Event loop lag',
      description: 'p99. Above 50 ms, requests and sends wait for a busy process.',
      unit: 's',
      queries: { [`max by (instance) (nodejs_eventloop_lag_p99_seconds${of})`]: '{{instance}}' },
    },
  ],
};

const columns = 24;
const width = 6;
const height = 7;

export function grafanaDashboard(): string {
  const panels: object[] = [];
  const datasource = { type: 'prometheus', uid: '$datasource' };
  let y = 0;
  for (const [title, row] of Object.entries(rows)) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: [],
    });
    y += 1;
    for (const [index, { title, description, unit, queries, stacked }] of row.entries()) {
      panels.push({
        id: panels.length + 1,
        type: 'timeseries',
        title,
        description,
        datasource,
        gridPos: {
          x: (index * width) % columns,
          y: y + Math.floor((index * width) / columns) * height,
          w: width,
          h: height,
        },
        fieldConfig: {
          defaults: {
            unit,
            min: 0,
            custom: {
              fillOpacity: stacked ? 20 : 0,
              stacking: { mode: stacked ? 'normal' : 'none' },
            },
          },
          overrides: [],
        },
        options: {
          legend: { displayMode: 'list', placement: 'bottom' },
          tooltip: { mode: 'multi', sort: 'desc' },
        },
        targets: Object.entries(queries).map(([expr, legendFormat], query) => ({
          refId: String.fromCharCode(65 + query),
          datasource,
          expr,
          legendFormat,
        })),
      });
    }
    y += Math.ceil((row.length * width) / columns) * height;
  }
  return json({
    uid: 'carillon',
    title: 'Carillon',
    tags: ['carillon'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        {
          name: 'job',
          label: 'Job',
          type: 'query',
          datasource,
          query: { query: 'label_values(carillon_processes, job)', refId: 'job' },
          refresh: 2,
          includeAll: true,
          multi: true,
          current: { text: 'All', value: '$__all' },
        },
      ],
    },
    panels,
  });
}

export function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
