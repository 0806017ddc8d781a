import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../server/test/harness/app.ts';
import { chromiumPath, type DashboardHost, startDashboard } from './dashboard.ts';

/** The part of the browser's tests that `npm test` runs. */
describe.skipIf(!chromiumPath)('a walk through the dashboard', () => {
  let host: DashboardHost;
  beforeAll(async () => {
    host = await startDashboard();
  }, 180_000);
  afterAll(() => host?.stop());

  test('every page can be opened by its address', async () => {
    const ids = await onePageOfEach();
    const table = readFileSync(new URL('../src/router.tsx', import.meta.url), 'utf8');
    const paths = [...table.matchAll(/^ {2}'?([\w/$-]+)'?: async \(\) => import/gm)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(25);
    const { page, complaints, go } = await host.open('/test/overview');
    const wrong: string[] = [];
    for (const path of paths) {
      const address = path.replaceAll(/\$\w+/g, (name) => ids[`${path.split('/')[0]}/${name}`] ?? name);
      // The service answers every address with the same page; the router then reads the address.
      expect((await page.request.get(`${host.url}/test/${address}`)).status()).toBe(200);
      const visit = async () => {
        await go(`/test/${address}`);
        return (await page.getByRole('heading', { level: 1 }).count()) === 1 ? null : 'no heading';
      };
      const problem = await visit().catch((error: Error) => error.message.split('\n')[0]);
      const heard = complaints.splice(0).filter((each) => !(isOptional(path) && each.includes('404')));
      wrong.push(...[problem, ...heard].flatMap((each) => (each ? [`${path}: ${each}`] : [])));
    }
    expect(wrong).toEqual([]);
  }, 300_000);

  /** What was never set is 404, which the browser reports by itself. */
  const isOptional = (path: string) => ['preferences/users/$userId', 'connections/push'].includes(path);

  /** Something to show for every page that is about one thing; by the first word of its path and the name in it. */
  async function onePageOfEach(): Promise<Record<string, string>> {
    const { app } = host;
    const made = async (path: string, body: object) => {
      const answer = await app.request('POST', path, { body });
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const endpoint = await made('/v1/webhook-endpoints', { url: 'https://example.com/hooks' });
    await made('/v1/templates', {
      key: 'welcome',
      name: 'Welcome',
      bodies: [{ channel: 'email', subject_template: 'Hi', text_template: 'Hello {{ name }}' }],
    });
    await app.request('PUT', '/v1/layouts/main', {
      body: { channel: 'email', html_template: '<p>{{ content }}</p>' },
    });
    await app.request('PUT', '/v1/partials/footer', { body: { template: 'Bye' } });
    await app.request('PUT', '/v1/translations/en', { body: { messages: { hello: 'Hello' } } });
    await app.request('PUT', '/v1/users/ada', { body: { email: 'ada@example.com' } });
    const notification = await made('/v1/notifications', {
      channel: 'email',
      recipient: { address: 'ada@example.com' },
      subject: 'Hello',
      text_body: 'Hello',
    });
    await made('/v1/workflows', { key: 'greet', name: 'Greet' });
    await made('/v1/workflows/greet/versions', {
      body: { steps: [{ id: 'wait', kind: 'wait_for_event', event: 'go', timeout: '1d' }] },
    });
    await made('/v1/workflows/greet/versions/1/activate', {});
    const { run_id } = await made('/v1/workflows/greet/trigger', { trigger_data: {} });
    await made('/v1/topics', { key: 'releases', name: 'Releases' });
    const broadcast = await made('/v1/broadcasts', {
      name: 'Release',
      channels: ['email'],
      audience: { topic: 'releases' },
      template_key: 'welcome',
    });
    const deliveries = await waitUntil(async () => {
      const { body } = await app.request('GET', `/v1/webhook-endpoints/${endpoint.id}/deliveries`);
      return body.data?.length > 0 ? body.data : new Error(JSON.stringify(body));
    }, 20_000);
    return {
      'notifications/$id': notification.id,
      'templates/$key': 'welcome',
      'layouts/$key': 'main',
      'partials/$key': 'footer',
      'translations/$key': 'en',
      'workflows/$key': 'greet',
      'runs/$runId': run_id,
      'broadcasts/$id': broadcast.id,
      'audiences/$key': 'releases',
      'preferences/$userId': 'ada',
      'webhooks/$id': endpoint.id,
      'webhooks/$deliveryId': deliveries[0].id,
    };
  }
});
