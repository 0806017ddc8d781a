import type { WebhookEndpoint } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import { Badge, Card, Copyable, Loaded, Page, Pairs, Row, Time } from '../../ui/index.ts';
import { DeliveriesCard } from './deliveries-card.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointBadge } from './endpoint-badge.tsx';
import { EndpointNotice } from './endpoint-notice.tsx';
import { HealthCard, useHealth } from './health-card.tsx';
import { nameOf } from './name.ts';
import { VerifyCode } from './verify-code.tsx';
import styles from './webhooks.module.css';

export default function WebhookPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { kind } = useEnvironment();
  const query = useRead(['webhooks', id], (api, signal) => api.webhookEndpoints.get(id, { signal }), {
    everyMs: 10_000,
  });
  const endpoint = query.data;
  const successRate = useHealth(id, '24h').data?.success_rate;
  return (
    <Page
      title={endpoint ? nameOf(endpoint) : text.title}
      trail={[{ label: text.title, to: `/${kind}/webhooks` }]}
      aside={endpoint && <EndpointBadge endpoint={endpoint} successRate={successRate} />}
      actions={endpoint && <EndpointActions endpoint={endpoint} />}
    >
      <Loaded query={query} lines={8}>
        {(data) => <Endpoint endpoint={data} />}
      </Loaded>
    </Page>
  );
}

function Endpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  return (
    <>
      <EndpointNotice endpoint={endpoint} />
      <div className={styles.pair}>
        <Facts endpoint={endpoint} />
        <HealthCard endpointId={endpoint.id} />
      </div>
      <DeliveriesCard endpoint={endpoint} />
      <Card title={text.verify.title}>
        <p className={styles.hint}>{text.verify.text}</p>
        <VerifyCode />
      </Card>
    </>
  );
}

function Facts({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, url, description, event_filters, timeout_seconds, signing_secret_prefix, created_at } =
    endpoint;
  return (
    <Card title={text.endpoint.facts}>
      <Pairs
        pairs={[
          [text.endpoint.url, <Copyable key="url" text={url} />],
          description !== '' && [text.form.description, <bdi key="description">{description}</bdi>],
          [
            text.endpoint.events,
            event_filters.length === 0 ? (
              text.form.every
            ) : (
              <Row key="events">
                {event_filters.map((type) => (
                  <Badge key={type}>{type}</Badge>
                ))}
              </Row>
            ),
          ],
          [text.endpoint.timeout, text.endpoint.seconds(timeout_seconds)],
          [text.endpoint.secret, <code key="secret">{`${signing_secret_prefix}…`}</code>],
          [text.list.created, <Time key="created" at={created_at} />],
          [text.endpoint.id, <Copyable key="id" text={id} />],
        ]}
      />
    </Card>
  );
}
