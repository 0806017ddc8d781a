import type { WebhookDelivery, WebhookEndpoint } from '@carillon/sdk';
import { useEffect, useRef } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useRead, useWrite } from '../../api/queries.ts';
import { webhooks as text } from '../../strings/webhooks.ts';
import {
  Button,
  CodeBlock,
  Dialog,
  describeError,
  duration,
  LinkButton,
  Notice,
  Skeleton,
  Stack,
} from '../../ui/index.ts';

/** Sends a test when it opens, and follows it until the endpoint has responded once. */
export function TestDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const { kind } = useEnvironment();
  const send = useWrite((api) => api.webhookEndpoints.sendTest(endpoint.id), { quiet: true });
  const wasSent = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, even where React runs effects twice
  useEffect(() => {
    if (wasSent.current) return;
    wasSent.current = true;
    send.mutate();
  }, []);
  const delivery = useFollowed(endpoint.id, send.data);
  const isOver = send.isError || (delivery !== undefined && hasAnswer(delivery));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text.test.title}
      description={endpoint.url}
      foot={
        <>
          <Button busy={!isOver} icon="send" onClick={() => send.mutate()}>
            {text.test.again}
          </Button>
          {delivery && (
            <LinkButton variant="primary" to={`/${kind}/webhooks/${endpoint.id}/deliveries/${delivery.id}`}>
              {text.test.open}
            </LinkButton>
          )}
        </>
      }
    >
      <div aria-live="polite">
        {send.error ? (
          <Notice tone="red">{describeError(send.error).text}</Notice>
        ) : delivery && hasAnswer(delivery) ? (
          <Result delivery={delivery} />
        ) : (
          <>
            <p>{text.test.calling}</p>
            <Skeleton lines={2} />
          </>
        )}
      </div>
    </Dialog>
  );
}

const hasAnswer = ({ status, attempt_count }: WebhookDelivery) =>
  attempt_count > 0 || (status !== 'pending' && status !== 'in_flight');

function useFollowed(endpointId: string, sent: WebhookDelivery | undefined): WebhookDelivery | undefined {
  const id = sent?.id ?? '';
  const key = ['webhooks', endpointId, 'test', id];
  const read = useRead<WebhookDelivery>(
    key,
    (api, signal) => api.webhookEndpoints.getDelivery(endpointId, id, { signal }),
    { enabled: sent !== undefined, everyMs: (last) => (last && hasAnswer(last) ? false : 1000) },
  );
  return read.data ?? sent;
}

function Result({ delivery }: { delivery: WebhookDelivery }) {
  const { error, http_status_code: code, latency_ms, response_snippet, status } = delivery;
  if (status === 'succeeded' && code !== null) {
    return <Notice tone="green">{text.test.succeeded(code, duration(latency_ms ?? 0))}</Notice>;
  }
  return (
    <Stack>
      <Notice tone="red">
        {text.test.failed} {error?.replace(/^\w+: /, '')} {status === 'pending' && text.test.later}
      </Notice>
      {response_snippet && <CodeBlock code={response_snippet} label={text.test.answer} wrap />}
    </Stack>
  );
}
