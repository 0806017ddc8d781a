import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shape, startWorkflows, type Workflows } from './test-harness.ts';

const guide = readFileSync(new URL('../../../../../docs/guides/workflow-runs.md', import.meta.url), 'utf8');
const [, definition = ''] = /<<'END'\n([\s\S]*?)\nEND/.exec(guide) ?? [];
const body = JSON.parse(definition);
/** Path → what is posted there. */
const requests = new Map(
  [...guide.matchAll(/curl -s .*8400(\/v1\/\S+)[\s\S]*?```/g)].map(([text, path]) => [
    path ?? '',
    JSON.parse(/-d '([\s\S]*?)'/.exec(text)?.[1] ?? '{}'),
  ]),
);

let app: Workflows;
beforeAll(async () => {
  app = await startWorkflows();
});
afterAll(() => app.stop());

test('what the guide does works as it says', async () => {
  const post = async (path: string) => {
    const answer = await app.request('POST', path, { body: requests.get(path) });
    expect([path, answer.status]).toEqual([path, expect.any(Number)]);
    return answer.body;
  };
  await post('/v1/workflows');
  await app.request('POST', '/v1/workflows/order_payment/versions', { body: { body } });
  expect(await post('/v1/workflows/order_payment/versions/1/activate')).toEqual({ valid: true, errors: [] });
  const { run_id, status } = await post('/v1/workflows/order_payment/trigger');
  expect(status).toBe('pending');
  await app.reaches(run_id, 'waiting');
  expect(await post('/v1/workflows/order_payment/events')).toEqual({ awoken_run_count: 1 });
  const run = await app.reaches(run_id, 'completed');
  expect(shape(run)).toEqual(['payment:event_received', 'thank:sent']);
  const { body: sent } = await app.request('GET', `/v1/notifications/${run.steps[1].notification_id}`);
  expect(sent.text_body).toBe('We received 42.');
  const simulated = await app.request('POST', '/v1/workflows/order_payment/versions/1/simulate', {
    body: requests.get('/v1/workflows/order_payment/trigger'),
  });
  expect(simulated.body.steps.map(({ step_id }: { step_id: string }) => step_id)).toEqual([
    'payment',
    'remind',
  ]);
});
