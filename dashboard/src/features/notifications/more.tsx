import type { Notification, Trace, WebhookDelivery, WebhookEndpoint } from '@carillon/sdk';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { notifications } from '../../strings/notifications.ts';
import {
  Card,
  type Column,
  duration,
  EmptyState,
  JsonBlock,
  LinkButton,
  Loaded,
  StatusBadge,
  Table,
  Tabs,
  Time,
} from '../../ui/index.ts';
import { ProviderRequests } from './provider-requests.tsx';

const text = notifications.more;

interface TraceQuery {
  data: Trace | undefined;
  error: unknown;
  refetch(): unknown;
}

/** Details for debugging: provider requests, webhook deliveries, data and JSON. */
export function More({ notification, trace }: { notification: Notification; trace: TraceQuery }) {
  const { values, set } = useFilters('tab');
  return (
    <Card>
      <Tabs
        label={text.label}
        value={values.tab || 'exchange'}
        onChange={(tab) => set({ tab })}
        tabs={[
          {
            value: 'exchange',
            label: text.exchange,
            content: (
              <Loaded query={trace}>
                {(data) => <ProviderRequests notification={notification} entries={data.entries} />}
              </Loaded>
            ),
          },
          {
            value: 'webhooks',
            label: text.deliveries(trace.data?.webhook_deliveries.length ?? 0),
            content: (
              <Loaded query={trace}>{(data) => <Deliveries deliveries={data.webhook_deliveries} />}</Loaded>
            ),
          },
          { value: 'data', label: text.data, content: <Data data={notification.template_data} /> },
          { value: 'json', label: text.json, content: <JsonBlock label={text.json} value={notification} /> },
        ]}
      />
    </Card>
  );
}

function Data({ data }: { data: Record<string, unknown> }) {
  if (Object.keys(data).length === 0) return <p>{notifications.data.none}</p>;
  return <JsonBlock label={notifications.data.label} value={data} />;
}

const names = notifications.deliveries.columns;
const eventColumn: Column<WebhookDelivery> = {
  header: names.event,
  cell: ({ event_type: type }) => <code>{type}</code>,
};
const otherColumns: Column<WebhookDelivery>[] = [
  { header: names.status, cell: ({ status }) => <StatusBadge status={status} /> },
  { header: names.http, cell: ({ http_status_code: code }) => code ?? notifications.nothing },
  { header: names.attempts, cell: ({ attempt_count: count }) => count },
  { header: names.took, cell: ({ latency_ms: ms }) => (ms === null ? notifications.nothing : duration(ms)) },
  { header: names.created, end: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function Deliveries({ deliveries }: { deliveries: WebhookDelivery[] }) {
  const { kind } = useEnvironment();
  const endpoints = useEndpoints();
  const endpointColumn: Column<WebhookDelivery> = {
    header: names.endpoint,
    clip: true,
    cell: ({ endpoint_id: id }) => {
      const endpoint = endpoints.get(id);
      return (
        <Link to={`/${kind}/webhooks/${id}`} title={endpoint?.url}>
          <bdi>{endpoint?.description || endpoint?.url || id}</bdi>
        </Link>
      );
    },
  };
  return (
    <Table
      label={text.deliveries(0)}
      columns={[eventColumn, endpointColumn, ...otherColumns]}
      rows={deliveries}
      rowKey={({ id }) => id}
      rowTo={({ endpoint_id, id }) => `/${kind}/webhooks/${endpoint_id}/deliveries/${id}`}
      empty={
        <EmptyState
          title={notifications.deliveries.none}
          icon="webhooks"
          action={<LinkButton to={`/${kind}/webhooks`}>{notifications.deliveries.toWebhooks}</LinkButton>}
        >
          {notifications.deliveries.noneHint}
        </EmptyState>
      }
    />
  );
}

/** Returns endpoints by id, from one request for the first hundred; further ones appear by their id. */
function useEndpoints(): Map<string, WebhookEndpoint> {
  const { can } = useEnvironment();
  const { data } = useRead(
    ['webhooks', 'names'],
    (api, signal) => api.webhookEndpoints.list({ limit: 100, include_disabled: true }, { signal }).page(),
    { enabled: can('webhooks:read') },
  );
  return new Map(data?.data.map((endpoint) => [endpoint.id, endpoint]));
}
