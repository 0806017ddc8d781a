import type { ListWebhookDeliveriesParams, WebhookDelivery, WebhookEndpoint } from '@carillon/sdk';
import { useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { common } from '../../strings/common.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import {
  Button,
  Card,
  type Column,
  duration,
  EmptyState,
  ListTable,
  Select,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import { knownTypes } from './event-types.ts';
import styles from './webhooks.module.css';

const statuses: WebhookDelivery['status'][] = [
  'pending',
  'in_flight',
  'succeeded',
  'failed',
  'permanent_failure',
];

const columns: Column<WebhookDelivery>[] = [
  { header: text.deliveries.event, cell: ({ event_type }) => <code>{event_type}</code> },
  { header: text.deliveries.status, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: text.deliveries.answer,
    clip: true,
    cell: ({ http_status_code, error }) => http_status_code ?? (error ? classOf(error) : '–'),
  },
  {
    header: text.deliveries.latency,
    end: true,
    cell: ({ latency_ms }) => (latency_ms === null ? '–' : duration(latency_ms)),
  },
  { header: text.deliveries.attempts, end: true, cell: ({ attempt_count }) => attempt_count },
  {
    header: text.deliveries.next,
    end: true,
    cell: ({ next_attempt_at }) => <Time at={next_attempt_at} />,
  },
  { header: text.deliveries.created, end: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

export function DeliveriesCard({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { kind } = useEnvironment();
  const filters = useFilters('status', 'event_type');
  const params = given(filters.values) as ListWebhookDeliveriesParams;
  const query = useList(
    ['webhooks', endpoint.id, 'deliveries', params],
    (api, cursor, signal) =>
      api.webhookEndpoints.listDeliveries(endpoint.id, { ...params, limit: 25, cursor }, { signal }).page(),
    { everyMs: 10_000, keep: true },
  );
  return (
    <Card title={text.deliveries.title} flush>
      <div>
        <Filters endpoint={endpoint} filters={filters} />
        <ListTable
          query={query}
          label={text.deliveries.label}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/${kind}/webhooks/${endpoint.id}/deliveries/${id}`}
          empty={
            filters.isFiltered ? (
              <EmptyState
                title={text.deliveries.noMatch}
                action={<Button onClick={filters.clear}>{common.clearFilters}</Button>}
              />
            ) : (
              <EmptyState title={text.deliveries.emptyTitle} icon="webhooks">
                {text.deliveries.empty}
              </EmptyState>
            )
          }
        />
      </div>
    </Card>
  );
}

function Filters(props: {
  endpoint: WebhookEndpoint;
  filters: ReturnType<typeof useFilters<'status' | 'event_type'>>;
}) {
  const { endpoint, filters } = props;
  const { values, set } = filters;
  // What the endpoint asked for by name, and what somebody put into the address.
  const types = new Set<string>([
    ...knownTypes,
    'webhook.test',
    ...endpoint.event_filters,
    values.event_type,
  ]);
  return (
    <div className={styles.bar}>
      <Select
        aria-label={text.deliveries.status}
        value={values.status}
        onChange={(event) => set({ status: event.target.value })}
      >
        <option value="">{text.deliveries.anyStatus}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {common.status(status)}
          </option>
        ))}
      </Select>
      <Select
        aria-label={text.deliveries.event}
        value={values.event_type}
        onChange={(event) => set({ event_type: event.target.value })}
      >
        <option value="">{text.deliveries.anyEvent}</option>
        {[...types].filter(Boolean).map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </Select>
      {filters.isFiltered && (
        <Button variant="ghost" onClick={filters.clear}>
          {common.clearFilters}
        </Button>
      )}
    </div>
  );
}

/** `timeout: No complete answer …` → `Timeout`: a column has room for no more. */
function classOf(error: string): string {
  return common.sentence(error.split(':')[0] ?? '');
}
