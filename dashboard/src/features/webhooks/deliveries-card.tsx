import type { ListWebhookDeliveriesParams, WebhookDelivery, WebhookEndpoint } from '@carillon/sdk';
import { useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { common } from '../../strings/common.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import {
  ClearFilters,
  type Column,
  duration,
  EmptyState,
  ListCard,
  SelectFilter,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import { shownStatus } from './delivery-status.ts';
import { knownTypes } from './event-types.ts';

const statuses: WebhookDelivery['status'][] = [
  'pending',
  'in_flight',
  'succeeded',
  'failed',
  'permanent_failure',
];

const columns: Column<WebhookDelivery>[] = [
  { header: text.deliveries.event, cell: ({ event_type }) => <code>{event_type}</code> },
  { header: text.deliveries.status, cell: (delivery) => <StatusBadge status={shownStatus(delivery)} /> },
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
  // Includes the types that the endpoint filters by, and the one in the URL.
  const types = new Set<string>([...knownTypes, 'webhook.test', ...endpoint.event_filters]);
  if (filters.values.event_type) types.add(filters.values.event_type);
  return (
    <ListCard
      title={text.deliveries.title}
      bar={
        <>
          <SelectFilter
            label={text.deliveries.status}
            any={text.deliveries.anyStatus}
            options={statuses}
            nameOf={common.status}
            {...filters.bind('status')}
          />
          <SelectFilter
            label={text.deliveries.event}
            any={text.deliveries.anyEvent}
            options={types}
            nameOf={(type) => type}
            {...filters.bind('event_type')}
          />
          <ClearFilters filters={filters} />
        </>
      }
      query={query}
      label={text.deliveries.label}
      columns={columns}
      rowKey={({ id }) => id}
      rowTo={({ id }) => `/${kind}/webhooks/${endpoint.id}/deliveries/${id}`}
      filters={filters}
      noMatch={{ title: text.deliveries.noMatch }}
      empty={
        <EmptyState title={text.deliveries.emptyTitle} icon="webhooks">
          {text.deliveries.empty}
        </EmptyState>
      }
    />
  );
}

/** `timeout: No complete answer …` → `Timeout`: the column has no room for more. */
function classOf(error: string): string {
  return common.sentence(error.split(':')[0] ?? '');
}
