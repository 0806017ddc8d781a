import type { WebhookAttempt, WebhookDelivery } from '@carillon/sdk';
import { useList } from '../../api/queries.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { type Column, duration, EmptyState, ExactTime, ListCard, StatusBadge } from '../../ui/index.ts';
import styles from './webhooks.module.css';

const columns: Column<WebhookAttempt>[] = [
  { header: text.delivery.number, cell: ({ number }) => number },
  {
    header: text.delivery.result,
    cell: ({ succeeded }) => <StatusBadge status={succeeded ? 'succeeded' : 'failed'} />,
  },
  {
    header: text.delivery.status,
    end: true,
    cell: ({ http_status_code }) => http_status_code ?? text.delivery.noAnswer,
  },
  { header: text.delivery.latency, end: true, cell: ({ latency_ms }) => duration(latency_ms) },
  { header: text.delivery.when, cell: ({ attempted_at }) => <ExactTime at={attempted_at} /> },
  { header: text.delivery.response, cell: (attempt) => <Response attempt={attempt} /> },
];

/** Every attempt of a delivery and its response. */
export function AttemptsCard({ delivery }: { delivery: WebhookDelivery }) {
  const { id, endpoint_id, attempt_count, status } = delivery;
  // The key makes the list reload when the delivery changes, which its page polls.
  const query = useList(
    ['webhooks', endpoint_id, 'delivery', id, 'attempts', attempt_count, status],
    (api, cursor, signal) =>
      api.webhookEndpoints.listAttempts(endpoint_id, id, { limit: 50, cursor }, { signal }).page(),
    { keep: true },
  );
  return (
    <ListCard
      title={text.delivery.attempts}
      query={query}
      label={text.delivery.attemptsLabel}
      columns={columns}
      rowKey={({ number }) => String(number)}
      empty={<EmptyState title={text.delivery.noAttempt} icon="clock" />}
    />
  );
}

function Response({ attempt: { error, response_snippet } }: { attempt: WebhookAttempt }) {
  return (
    <div className={styles.response}>
      {error !== null && <bdi>{error}</bdi>}
      {response_snippet ? (
        <details>
          <summary>{text.delivery.showAnswer}</summary>
          <pre>{response_snippet}</pre>
        </details>
      ) : (
        response_snippet === '' && <span className={styles.hint}>{text.delivery.emptyAnswer}</span>
      )}
    </div>
  );
}
