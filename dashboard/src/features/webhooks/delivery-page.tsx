import type { WebhookDeliveryWithPayload } from '@carillon/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import {
  Button,
  Card,
  CodeBlock,
  Copyable,
  duration,
  ExactTime,
  JsonBlock,
  Loaded,
  Page,
  Pairs,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import { AttemptsCard } from './attempts-card.tsx';
import { callAsCurl, headersOfCall } from './call.ts';
import { shownStatus } from './delivery-status.ts';
import { nameOf } from './name.ts';
import styles from './webhooks.module.css';

const isUnderWay = ({ status }: { status: string }): boolean =>
  status === 'pending' || status === 'in_flight';

export default function DeliveryPage() {
  const { id = '', deliveryId = '' } = useParams({ strict: false }) as { id?: string; deliveryId?: string };
  const { kind } = useEnvironment();
  const endpoint = useRead(['webhooks', id], (api, signal) => api.webhookEndpoints.get(id, { signal }));
  const query = useRead(
    ['webhooks', id, 'delivery', deliveryId],
    (api, signal) => api.webhookEndpoints.getDelivery(id, deliveryId, { signal }),
    { everyMs: (last) => last !== undefined && isUnderWay(last) && 5000 },
  );
  const delivery = query.data;
  const url = endpoint.data?.url;
  return (
    <Page
      title={delivery?.event_type ?? text.delivery.facts}
      trail={[
        { label: text.title, to: `/${kind}/webhooks` },
        {
          label: endpoint.data ? nameOf(endpoint.data) : text.delivery.endpoint,
          to: `/${kind}/webhooks/${id}`,
        },
      ]}
      aside={delivery && <StatusBadge status={shownStatus(delivery)} />}
      actions={delivery && <RetryButton delivery={delivery} />}
    >
      <Loaded query={query} lines={8}>
        {(data) => (
          <>
            <Card title={text.delivery.facts}>
              <Facts delivery={data} />
            </Card>
            <AttemptsCard delivery={data} />
            <Card title={text.delivery.body}>
              <JsonBlock value={data.payload} label={text.delivery.bodyLabel} />
            </Card>
            <Card title={text.delivery.headers}>
              <CodeBlock code={headersOfCall(data)} label={text.delivery.headersLabel} />
              <p className={styles.hint}>{text.delivery.headersHint}</p>
            </Card>
            {url !== undefined && (
              <Card title={text.delivery.curl}>
                <CodeBlock code={callAsCurl(url, data)} label={text.delivery.curlLabel} />
                <p className={styles.hint}>{text.delivery.curlHint}</p>
              </Card>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ delivery }: { delivery: WebhookDeliveryWithPayload }) {
  const { event_id, id, created_at, attempt_count, next_attempt_at, error, http_status_code } = delivery;
  const about = <About delivery={delivery} />;
  return (
    <Pairs
      pairs={[
        isAboutSomething(delivery) && [text.delivery.about, about],
        [text.delivery.created, <ExactTime key="created" at={created_at} />],
        [text.delivery.attempts, attempt_count],
        next_attempt_at !== null && [text.delivery.next, <Next key="next" at={next_attempt_at} />],
        http_status_code !== null && [
          text.delivery.answer,
          `${http_status_code} · ${duration(delivery.latency_ms ?? 0)}`,
        ],
        error !== null && [text.delivery.error, <bdi key="error">{error}</bdi>],
        [text.delivery.eventId, <Copyable key="event" text={event_id} />],
        [text.delivery.deliveryId, <Copyable key="delivery" text={id} />],
      ]}
    />
  );
}

function Next({ at }: { at: string }) {
  return (
    <>
      <Time at={at} /> (<ExactTime at={at} />)
    </>
  );
}

const isAboutSomething = ({ event_type }: WebhookDeliveryWithPayload) =>
  event_type.startsWith('notification.') || event_type.startsWith('workflow.run.');

/** Links to the notification or the run of the event. */
function About({ delivery: { event_type, payload } }: { delivery: WebhookDeliveryWithPayload }) {
  const { kind } = useEnvironment();
  const { id, deleted } = (payload.data ?? {}) as { id?: unknown; deleted?: unknown };
  if (typeof id !== 'string' || deleted === true) return text.delivery.deleted;
  return event_type.startsWith('workflow.run.') ? (
    <Link to={`/${kind}/runs/${id}`}>{text.delivery.run}</Link>
  ) : (
    <Link to={`/${kind}/notifications/${id}`}>{text.delivery.notification}</Link>
  );
}

function RetryButton({ delivery: { id, endpoint_id, status } }: { delivery: WebhookDeliveryWithPayload }) {
  const canWrite = useCan('webhooks:write');
  const retry = useWrite((api) => api.webhookEndpoints.retryDelivery(endpoint_id, id), {
    changes: [['webhooks', endpoint_id]],
    done: text.delivery.retried,
  });
  if (!canWrite) return null;
  return (
    <Button
      icon="retry"
      busy={retry.isPending}
      disabled={status === 'in_flight'}
      onClick={() => retry.mutate()}
    >
      {text.delivery.retry}
    </Button>
  );
}
