import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { createPerson } from '../../../../test/harness/people.ts';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { startWorkflows, type Workflows } from '../runs/test-harness.ts';
import { sealSavedVersions } from './sealed-body.ts';

let app: Workflows;
let sink: WebhookSink;
beforeAll(async () => {
  [app, sink] = await Promise.all([startWorkflows(), startWebhookSink()]);
});
afterAll(async () => {
  await app.stop();
  await sink.stop();
});

const secret = 'planted-secret-0123456789';
const shown = 'Bearer ••••6789';
const call = (changes: object = {}) => ({
  id: 'call',
  kind: 'fetch',
  url: sink.url('/hook'),
  headers: { Authorization: `Bearer ${secret}`, Accept: 'application/json' },
  ...changes,
});
const versionsOf = (key: string, rest = '') => `/v1/workflows/${key}/versions${rest}`;
const save = (key: string, steps: unknown[], options = {}) =>
  app.request('POST', versionsOf(key), { body: { body: { steps } }, ...options });
const bodyOf = async (key: string, version: number) =>
  JSON.parse((await app.request('GET', versionsOf(key, `/${version}`))).body.body_json);
const storedText = async () => {
  const { rows } = await app.pool.query('select v::text as text from workflow_versions v');
  return rows.map(({ text }) => text).join('\n');
};
/** What the next run of the workflow sends. */
async function headersSentBy(key: string): Promise<Record<string, unknown>> {
  await app.reaches(await app.trigger(key), 'completed');
  return sink.received.at(-1)?.headers ?? {};
}

describe('credentials of fetch steps', () => {
  test('are sent, and nobody gets to read them', async () => {
    const body = JSON.stringify({ secret, nested: [`token ${secret}`] });
    sink.reply = () => ({ status: 200, headers: { 'content-type': 'application/json' }, body });
    await app.define('sealed', [call()]);
    expect(await headersSentBy('sealed')).toMatchObject({
      authorization: `Bearer ${secret}`,
      accept: 'application/json',
    });
    expect((await bodyOf('sealed', 1)).steps[0].headers).toEqual({
      Authorization: shown,
      Accept: 'application/json',
    });
    const simulated = await app.request('POST', versionsOf('sealed', '/1/simulate'), {
      body: { trigger_data: {} },
    });
    expect(simulated.body).toMatchObject({ status: 'completed', failure_reason: null });
    const runs = await app.request('GET', '/v1/workflows/sealed/runs');
    const run = await app.run(runs.body.items[0].id);
    expect(run.steps[0].output_json).toContain('token ••••');
    const audit = await app.request('GET', '/v1/audit-log?limit=100');
    for (const seen of [simulated.body, runs.body, run, audit.body])
      expect(JSON.stringify(seen)).not.toContain(secret);
    expect(await storedText()).not.toContain(secret);
  });

  test('are masked in the active body of a workflow, for every reader and in every answer that shows it', async () => {
    await app.define('active', [call()]);
    const path = '/v1/workflows/active';
    const narrow = { name: 'Reader', scopes: ['workflows:read'] };
    const { key } = (await app.request('POST', '/v1/api-keys', { body: narrow })).body;
    const { rows } = await app.pool.query('select organization_id from environments where id = $1', [
      app.testEnvironmentId,
    ]);
    const viewer = await createPerson(app, [{ organizationId: rows[0].organization_id, role: 'viewer' }]);
    const headers = { cookie: viewer.cookie, 'x-environment-id': app.testEnvironmentId };
    const readers = {
      'the key that wrote it': await app.request('GET', path),
      'a key that may only read': await app.request('GET', path, { key }),
      'a viewer': await app.request('GET', path, { key: null, headers }),
      'who renames it': await app.request('PATCH', path, { body: { name: 'Renamed' } }),
    };
    for (const [reader, { status, body }] of Object.entries(readers)) {
      expect([reader, status]).toEqual([reader, 200]);
      expect(JSON.stringify(body)).not.toContain(secret);
      const [step] = JSON.parse(body.active_body_json).steps;
      expect([reader, step.headers]).toEqual([reader, { Authorization: shown, Accept: 'application/json' }]);
    }
  });

  test('stay what they were when a body is saved as it was shown, also under another step or from an older version', async () => {
    await app.define('again', [call()]);
    const { steps } = await bodyOf('again', 1);
    await app.define('again', [
      { ...steps[0], id: 'renamed' },
      { id: 'end', kind: 'noop' },
    ]);
    expect(await headersSentBy('again')).toMatchObject({ authorization: `Bearer ${secret}` });
    await app.define('again', [call({ headers: {} })]);
    await app.define('again', steps);
    expect(await headersSentBy('again')).toMatchObject({ authorization: `Bearer ${secret}` });
    expect((await bodyOf('again', 4)).steps).toEqual(steps);
  });

  test('are replaced when new ones are given', async () => {
    await app.define('new', [call()]);
    await app.define('new', [call({ headers: { Authorization: 'Bearer another-secret-9876' } })]);
    expect(await headersSentBy('new')).toMatchObject({ authorization: 'Bearer another-secret-9876' });
  });

  test('do not follow their step to another server', async () => {
    await app.define('lure', [call()]);
    const [step] = (await bodyOf('lure', 1)).steps;
    const host = `127.0.0.1:${sink.port}`;
    for (const url of [
      'https://evil.example/hook',
      `https://${host}/hook`,
      `http://${host}.evil.example/`,
      `http://${host}{{ ".evil.example" }}/`,
      `http://{{ "evil.example/" }}@${host}/hook`,
      `http://evil.example\\@${host}/hook`,
      `http:/evil.example/?://${host}/hook`,
    ]) {
      const refused = await save('lure', [{ ...step, url }]);
      expect([url, refused.status, refused.body.error?.code, refused.body.error?.param]).toEqual([
        url,
        400,
        'parameter_invalid',
        '/steps/0/headers',
      ]);
    }
    expect((await save('lure', [{ ...step, url: sink.url('/elsewhere') }])).status).toBe(201);
    // Nor to a workflow that never had them.
    await app.request('POST', '/v1/workflows', { body: { key: 'stranger', name: 'Stranger' } });
    expect((await save('stranger', [step])).status).toBe(400);
  });

  test('are sealed for Live when the workflow is promoted, and a changed one is a change', async () => {
    await app.define('promoted', [call()]);
    const promote = () => app.request('POST', '/v1/workflows/promoted/promote');
    expect((await promote()).body).toMatchObject({ applied: true, status: 'new', target_version: 1 });
    expect((await promote()).body).toMatchObject({ applied: false, status: 'identical' });
    // Ends like the one before.
    await app.define('promoted', [
      call({ headers: { Authorization: 'Bearer changed-6789', Accept: 'application/json' } }),
    ]);
    const changed = await promote();
    expect(changed.body).toMatchObject({ applied: true, status: 'changed', target_version: 2 });
    expect(JSON.stringify(changed.body)).not.toContain('changed-6789');
    const live = { key: app.liveKey };
    const version = await app.request('GET', versionsOf('promoted', '/2'), live);
    expect(JSON.parse(version.body.body_json).steps[0].headers.Authorization).toBe(shown);
    const { body } = await app.request('POST', '/v1/workflows/promoted/trigger', {
      ...live,
      body: { trigger_data: {} },
    });
    await waitUntil(async () => {
      const { body: run } = await app.request('GET', `/v1/workflows/runs/${body.run_id}`, live);
      return run.status === 'completed' || new Error(JSON.stringify(run));
    });
    expect(sink.received.at(-1)?.headers.authorization).toBe('Bearer changed-6789');
  });

  test('of versions that were saved before are masked, used, and sealed by housekeeping', async () => {
    await app.define('older', [call()]);
    const plain = JSON.stringify({ steps: [call()] });
    await app.pool.query(
      `update workflow_versions v set body = $1, secrets_sealed = null
       from workflows w where w.id = v.workflow_id and w.key = 'older'`,
      [plain],
    );
    expect((await bodyOf('older', 1)).steps[0].headers.Authorization).toBe(shown);
    expect((await save('older', (await bodyOf('older', 1)).steps)).status).toBe(201);
    expect(await storedText()).toContain(secret);
    await sealSavedVersions(app.deps, () => false);
    expect(await storedText()).not.toContain(secret);
    expect(await headersSentBy('older')).toMatchObject({ authorization: `Bearer ${secret}` });
  });
});
