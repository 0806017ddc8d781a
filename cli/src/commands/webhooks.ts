import type { WebhookDelivery, WebhookEndpoint } from '@carillon/sdk';
import { collect } from '../collect.ts';
import { type Command, type Context, command } from '../command.ts';
import { exitCodes } from '../errors.ts';
import { numberOf } from '../input.ts';
import { countOf, plain, statusStyle, table } from '../style.ts';

const endpoint = { arguments: '<id>', takes: [1, 1] as [number, number] };
const deliveryPollMs = 500;
/** The service ends so many in one call. */
const discardedPerCall = 100_000;

export const webhookCommands: readonly Command[] = [
  command({
    name: 'webhooks list',
    summary: 'List webhook endpoints',
    options: {},
    examples: [{ command: 'carillon webhooks list', says: 'endpoints with their status and events' }],
    async run({ io, json, client, style }) {
      const found = await collect(client().webhookEndpoints.list({ limit: 100 }));
      if (json) return io.out(JSON.stringify(found));
      const rows = found.map((each) => [
        each.id,
        statusStyle(style, each.status),
        plain(each.url, 80),
        each.event_filters.join(' ') || 'all events',
        each.failing_since ? `failing since ${each.failing_since}` : '',
      ]);
      io.out(rows.length > 0 ? table(rows) : 'No webhook endpoints.');
    },
  }),
  command({
    name: 'webhooks create',
    summary: 'Create a webhook endpoint',
    arguments: '<url>',
    takes: [1, 1],
    details: 'The signing secret is printed only once.',
    options: {
      event: { type: 'string', value: 'type', multiple: true, description: 'Event to deliver. Default: all' },
      description: { type: 'string', value: 'text', description: 'Purpose of the endpoint' },
      timeout: { type: 'string', value: 'seconds', description: 'For one call, 1 to 30. Default: 10' },
    },
    examples: [
      {
        command: 'carillon webhooks create https://example.com/hooks --event notification.failed',
        says: 'prints the signing secret',
      },
    ],
    async run({ io, json, client, style }, { event, description, timeout }, [url = '']) {
      const created = await client().webhookEndpoints.create({
        url,
        event_filters: event,
        description,
        timeout_seconds: numberOf(timeout, '--timeout', 1, 30),
      });
      if (json) return io.out(JSON.stringify(created));
      io.err(`${style('green', '✓')} ${created.id}. Signing secret, shown only once:`);
      io.out(created.signing_secret);
    },
  }),
  ...(['paused', 'active'] as const).map((status) => {
    const verb = status === 'paused' ? 'pause' : 'resume';
    return command({
      ...endpoint,
      name: `webhooks ${verb}`,
      summary: status === 'paused' ? 'Pause a webhook endpoint' : 'Resume a webhook endpoint',
      details:
        status === 'paused'
          ? 'Deliveries wait, also those of new events, until the endpoint is resumed.'
          : 'Deliveries that wait are sent, oldest first; `carillon webhooks discard` ends them instead.',
      options: {},
      examples: [{ command: `carillon webhooks ${verb} 0198c3a1-…`, says: 'prints the new status' }],
      run: async (context, _values, [id = '']) =>
        show(context, await context.client().webhookEndpoints.update(id, { status })),
    });
  }),
  command({
    ...endpoint,
    name: 'webhooks test',
    summary: 'Send a test event to a webhook endpoint',
    details: 'Waits for the answer of your server. The exit code is 0 for an answer with a 2xx status.',
    options: {},
    examples: [
      { command: 'carillon webhooks test 0198c3a1-…', says: 'the status and latency of the answer' },
    ],
    async run({ io, json, client, style }, _values, [id = '']) {
      const webhooks = client().webhookEndpoints;
      const stop = new AbortController();
      const over = io.onInterrupt(() => stop.abort());
      let delivery: WebhookDelivery = await webhooks.sendTest(id);
      while (delivery.attempt_count === 0 && isOpen(delivery) && !stop.signal.aborted) {
        io.progress(`${delivery.status}…`);
        await io.sleep(deliveryPollMs, stop.signal).catch(() => {});
        if (!stop.signal.aborted) delivery = await webhooks.getDelivery(id, delivery.id);
      }
      over();
      io.out(json ? JSON.stringify(delivery) : table([rowOf(delivery, style)]));
      return delivery.status === 'succeeded' ? exitCodes.ok : exitCodes.failure;
    },
  }),
  command({
    ...endpoint,
    name: 'webhooks deliveries',
    summary: 'List the latest deliveries to a webhook endpoint',
    options: { limit: { type: 'string', value: 'number', description: 'Number of deliveries. Default: 20' } },
    examples: [{ command: 'carillon webhooks deliveries 0198c3a1-…', says: 'newest first' }],
    async run({ io, json, client, style }, { limit }, [id = '']) {
      const most = numberOf(limit, '--limit', 1, 100);
      const { data } = await client().webhookEndpoints.listDeliveries(id, { limit: most }).page();
      if (json) return io.out(JSON.stringify(data));
      io.out(data.length > 0 ? table(data.map((each) => rowOf(each, style))) : 'No deliveries.');
    },
  }),
  command({
    ...endpoint,
    name: 'webhooks discard',
    summary: 'Discard the pending deliveries of a webhook endpoint',
    details: 'Those that wait because the endpoint is paused, or for their next attempt.',
    options: {},
    examples: [
      { command: 'carillon webhooks discard 0198c3a1-…', says: 'before resuming without the old events' },
    ],
    async run({ io, json, client }, _values, [id = '']) {
      const webhooks = client().webhookEndpoints;
      let count = 0;
      for (let ended = discardedPerCall; ended === discardedPerCall; count += ended)
        ended = (await webhooks.discardPendingDeliveries(id)).count;
      io.out(json ? JSON.stringify({ count }) : `Discarded ${countOf(count, 'event')}.`);
    },
  }),
  command({
    ...endpoint,
    name: 'webhooks recover',
    summary: 'Deliver again what was not delivered',
    options: { since: { type: 'string', value: 'time', description: 'ISO 8601 time. Default: a day ago' } },
    examples: [
      {
        command: 'carillon webhooks recover 0198c3a1-… --since 2026-03-27T00:00:00Z',
        says: 'after an outage',
      },
    ],
    async run({ io, json, client }, { since }, [id = '']) {
      const from = since ?? new Date(Date.now() - 86_400_000).toISOString();
      const { count } = await client().webhookEndpoints.recover(id, { since: from });
      io.out(
        json
          ? JSON.stringify({ count })
          : `${countOf(count, 'event')} since ${from} will be delivered again.`,
      );
    },
  }),
];

const isOpen = ({ status }: WebhookDelivery): boolean => status === 'pending' || status === 'in_flight';

function rowOf(delivery: WebhookDelivery, style: Context['style']): string[] {
  const {
    id,
    status,
    event_type,
    created_at,
    http_status_code,
    latency_ms,
    error,
    status_detail,
    next_attempt_at,
  } = delivery;
  return [
    created_at,
    id,
    event_type,
    statusStyle(style, status),
    http_status_code === null ? '' : `HTTP ${http_status_code}`,
    latency_ms === null ? '' : `${latency_ms} ms`,
    status_detail === 'paused' ? 'waits: endpoint paused' : '',
    next_attempt_at ? `next attempt ${next_attempt_at}` : '',
    plain(error, 80),
  ];
}

function show({ io, json, style }: Context, changed: WebhookEndpoint) {
  const { id, status, url } = changed;
  io.out(json ? JSON.stringify(changed) : `${statusStyle(style, status)}  ${id}  ${plain(url, 80)}`);
}
