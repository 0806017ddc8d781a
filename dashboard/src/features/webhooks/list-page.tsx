import type { WebhookEndpoint } from '@carillon/sdk';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList, useRead } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import {
  Button,
  type Column,
  classes,
  EmptyState,
  formatShare,
  ListCard,
  Page,
  Switch,
  Time,
} from '../../ui/index.ts';
import { CreateDialog } from './create-dialog.tsx';
import { EndpointBadge } from './endpoint-badge.tsx';
import styles from './webhooks.module.css';

export default function WebhooksPage() {
  const { kind } = useEnvironment();
  const canWrite = useCan('webhooks:write');
  const [isCreating, setCreating] = useState(false);
  const { values, set } = useFilters('disabled');
  const include_disabled = values.disabled === 'shown';
  const query = useList(
    ['webhooks', 'list', include_disabled],
    (api, cursor, signal) =>
      api.webhookEndpoints.list({ limit: 50, cursor, include_disabled }, { signal }).page(),
    { everyMs: 15_000, keep: true },
  );
  const addButton = canWrite && (
    <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
      {text.add}
    </Button>
  );
  return (
    <Page title={text.title} description={text.description} actions={query.items.length > 0 && addButton}>
      <ListCard
        bar={
          <Switch
            label={text.list.showDisabled}
            checked={include_disabled}
            onChange={(event) => set({ disabled: event.target.checked ? 'shown' : '' })}
          />
        }
        query={query}
        label={text.list.label}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/${kind}/webhooks/${id}`}
        empty={
          <EmptyState title={text.list.emptyTitle} icon="webhooks" action={addButton}>
            {text.list.empty}
          </EmptyState>
        }
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function useColumns(): Column<WebhookEndpoint>[] {
  const rates = useRates();
  return [
    {
      header: text.list.endpoint,
      cell: ({ url, description }) => (
        <span className={styles.endpoint}>
          <span className={styles.url}>{url}</span>
          {description && <bdi className={styles.about}>{description}</bdi>}
        </span>
      ),
    },
    {
      header: text.list.status,
      cell: (endpoint) => <EndpointBadge endpoint={endpoint} successRate={rates.get(endpoint.id)} />,
    },
    {
      header: text.list.events,
      cell: ({ event_filters: { length } }) => (length === 0 ? text.allEvents : text.someEvents(length)),
    },
    {
      header: text.list.success,
      end: true,
      cell: ({ id }) => {
        const rate = rates.get(id);
        if (rate === undefined) return text.list.notCalled;
        return <span className={classes(rate === 0 && styles.bad)}>{formatShare(rate)}</span>;
      },
    },
    { header: text.list.created, end: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}

/** The success rates of the called endpoints, from one overview request instead of one health request per row. */
function useRates(): Map<string, number> {
  const overview = useRead(
    ['overview', '24h'],
    (api, signal) => api.overview.get({ window: '24h' }, { signal }),
    { everyMs: 30_000 },
  );
  return new Map(overview.data?.webhooks.map(({ endpoint_id, success_rate }) => [endpoint_id, success_rate]));
}
