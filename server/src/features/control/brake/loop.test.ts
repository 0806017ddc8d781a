import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { email, startWorkflows, type Workflows } from '../../workflows/runs/test-harness.ts';

let app: Workflows;
let sink: WebhookSink;
beforeAll(async () => {
  app = await startWorkflows();
  sink = await startWebhookSink();
});
afterAll(async () => {
  await sink.stop();
  await app.stop();
});

const endpoint = (filters: string[], path: string) =>
  app.request('POST', '/v1/webhook-endpoints', { body: { url: sink.url(path), event_filters: filters } });

test('a workflow that triggers itself through a webhook stops after K runs, and the brake reports it once', async () => {
  await app.define('echo', [email('hello')]);
  await endpoint(['notification.delivered'], '/loop');
  await endpoint(['brake.engaged'], '/brake');
  const refused: unknown[] = [];
  const passOn = async (chain: string): Promise<void> => {
    const answer = await app.request('POST', '/v1/workflows/echo/trigger', {
      body: { trigger_data: {} },
      headers: { 'carillon-chain': chain },
    });
    if (answer.status !== 202) refused.push(answer);
  };
  sink.reply = ({ path, headers }) => {
    if (path === '/loop') void passOn(headers['carillon-chain'] ?? '');
    return 204;
  };
  const first = await app.trigger('echo');
  await waitUntil(async () => (refused.length > 0 ? true : new Error('nothing was refused')), 30_000);
  expect(refused).toEqual([
    expect.objectContaining({
      status: 409,
      body: { error: expect.objectContaining({ code: 'workflow_loop' }) },
    }),
  ]);
  const { rows } = await app.pool.query('select chain from runs order by id');
  expect(rows.map(({ chain }) => chain)).toEqual([
    null,
    ...[1, 2, 3, 4, 5].map((depth) => `${first};${depth}`),
  ]);
  const events = await waitUntil(async () => {
    const calls = sink.received.filter(({ path }) => path === '/brake');
    return calls.length > 0 ? calls : new Error('no event');
  });
  expect(events.map(({ body }) => body.data.rule.key)).toEqual(['workflow_loop']);
});

test('the chain in the body continues too; one that cannot be read is refused by name', async () => {
  sink.reply = () => 204;
  await app.define('plain', [{ id: 'end', kind: 'noop' }]);
  const trigger = (chain: string) =>
    app.request('POST', '/v1/workflows/plain/trigger', { body: { trigger_data: {}, chain } });
  expect(await trigger('01890000-0000-7000-8000-000000000000;4')).toMatchObject({ status: 202 });
  expect(await trigger('01890000-0000-7000-8000-000000000000;5')).toMatchObject({ status: 409 });
  for (const bad of [
    'x',
    '01890000-0000-7000-8000-000000000000;-1',
    ';1',
    '01890000-0000-7000-8000-000000000000;99999',
  ])
    expect(await trigger(bad)).toMatchObject({ status: 400, body: { error: { param: 'chain' } } });
});
