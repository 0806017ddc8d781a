import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeStatement } from '../../../../test/harness/app.ts';
import { email, startWorkflows, type Workflows } from './test-harness.ts';

let app: Workflows;
let other: Workflows;
beforeAll(async () => {
  app = await startWorkflows();
  other = await startWorkflows({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
  const schema = {
    type: 'object',
    required: ['order'],
    properties: { order: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } },
  };
  await app.define('orders', [{ id: 'wait', kind: 'wait_for_event', event: 'paid' }], schema);
  await app.define('plain', [{ id: 'only', kind: 'noop' }]);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.request('POST', path, { body, headers });
const trigger = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  post(`/v1/workflows/${key}/trigger`, body, headers);

async function count(): Promise<number> {
  const { rows } = await app.pool.query('select count(*)::int as n from runs');
  return rows[0].n;
}

describe('a trigger', () => {
  test('is answered with the run it created', async () => {
    const { status, body } = await trigger('plain', { trigger_data: {} });
    expect([status, body]).toEqual([202, { run_id: expect.any(String), status: 'pending' }]);
    await app.reaches(body.run_id, 'completed');
  });

  test('that does not fit the schema is 422 with a pointer to what is wrong', async () => {
    const before = await count();
    const { status, body } = await trigger('orders', { trigger_data: { order: { id: 'x' } } });
    expect([status, body.error.type, body.error.code]).toEqual([
      422,
      'invalid_request_error',
      'trigger_data_invalid',
    ]);
    expect(body.error.param).toBe('/order/id');
    const missing = await trigger('orders', { trigger_data: {} });
    expect([missing.status, missing.body.error.code]).toEqual([422, 'trigger_data_invalid']);
    expect(await count()).toBe(before);
  });

  test.each<[string, unknown, string | null]>([
    ['no trigger_data', {}, 'trigger_data'],
    ['a list', { trigger_data: [] }, 'trigger_data'],
    ['text', { trigger_data: 'x' }, 'trigger_data'],
    ['null', { trigger_data: null }, 'trigger_data'],
    ['a list as body', [], null],
    ['too much', { trigger_data: { x: 'x'.repeat(300_000) } }, 'trigger_data'],
  ])('with %s is refused', async (_name, body, param) => {
    const before = await count();
    const answer = await trigger('plain', body);
    expect([answer.status, answer.body.error.param]).toEqual([400, param]);
    expect(await count()).toBe(before);
  });

  test('with broken JSON or 5 MB is refused', async () => {
    expect((await trigger('plain', '{"trigger_data":')).body.error.code).toBe('invalid_json');
    const huge = await trigger('plain', { trigger_data: { x: 'x'.repeat(5_000_000) } });
    expect([huge.status, huge.body.error.code]).toEqual([413, 'payload_too_large']);
  });

  test('of what is not there, was never active or is disabled is 404', async () => {
    await post('/v1/workflows', { key: 'draft_only', name: 'Draft' });
    await post('/v1/workflows/draft_only/versions', { body: { steps: [{ id: 'a', kind: 'noop' }] } });
    await app.define('gone', [{ id: 'only', kind: 'noop' }]);
    await app.trigger('gone');
    await app.request('DELETE', '/v1/workflows/gone');
    for (const key of ['nothing', 'draft_only', 'gone', 'Not-A-Key']) {
      const { status, body } = await trigger(key, { trigger_data: {} });
      expect([key, status, body.error.code]).toEqual([key, 404, 'resource_not_found']);
    }
  });

  test('uses the version that was activated just before, also by another process', async () => {
    await other.define('moving', [{ id: 'one', kind: 'noop' }]);
    await app.trigger('moving');
    await app.define('moving', [{ id: 'two', kind: 'noop' }]);
    const run = await app.reaches(await app.trigger('moving'), 'completed');
    expect(run.version).toBe(2);
  });
});

describe('an Idempotency-Key', () => {
  test('gives the first run again and triggers nothing', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await trigger('plain', { trigger_data: { a: 1, b: 2 } }, headers);
    await app.reaches(first.body.run_id, 'completed');
    const again = await trigger('plain', { trigger_data: { b: 2, a: 1 } }, headers);
    expect([first.status, again.status]).toEqual([202, 200]);
    expect(again.body).toEqual({ run_id: first.body.run_id, status: 'completed' });
    const changed = await trigger('plain', { trigger_data: { a: 2 } }, headers);
    expect([changed.status, changed.body.error.code]).toEqual([409, 'idempotency_key_reused']);
  });

  test('is not burnt by a refusal, and stands for one workflow alone', async () => {
    const headers = { 'idempotency-key': 'twice' };
    expect((await trigger('orders', { trigger_data: {} }, headers)).status).toBe(422);
    expect((await trigger('orders', { trigger_data: { order: { id: 1 } } }, headers)).status).toBe(202);
    expect((await trigger('plain', { trigger_data: {} }, headers)).status).toBe(202);
    expect(
      (await trigger('plain', { trigger_data: {} }, { 'idempotency-key': 'x'.repeat(256) })).status,
    ).toBe(400);
  });

  test('holds when the workflow was disabled since', async () => {
    await app.define('fleeting', [{ id: 'only', kind: 'noop' }]);
    const headers = { 'idempotency-key': 'before' };
    const first = await trigger('fleeting', { trigger_data: {} }, headers);
    await app.request('DELETE', '/v1/workflows/fleeting');
    const again = await trigger('fleeting', { trigger_data: {} }, headers);
    expect([again.status, again.body.run_id]).toEqual([200, first.body.run_id]);
  });

  test('whose day ends between two looks at it is as good as new', async () => {
    const headers = { 'idempotency-key': 'ending' };
    const first = await trigger('plain', { trigger_data: {} }, headers);
    const expire = () =>
      app.pool.query('delete from idempotency_claims where resource_id = $1', [first.body.run_id]);
    beforeStatement(app, 'idempotency_find', expire);
    const second = await trigger('plain', { trigger_data: {} }, headers);
    expect([second.status, second.body.status]).toEqual([202, 'pending']);
    expect(second.body.run_id).not.toBe(first.body.run_id);
    expect((await trigger('plain', { trigger_data: {} }, headers)).body.run_id).toBe(second.body.run_id);
  });

  test('at the same instant in two processes: one run, and everybody gets it', async () => {
    await app.define('raced', [email('mail')]);
    for (let round = 0; round < 5; round += 1) {
      const headers = { 'idempotency-key': `race-${round}` };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? app : other).request('POST', '/v1/workflows/raced/trigger', {
            body: { trigger_data: { round } },
            headers,
          }),
        ),
      );
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
      expect(answers.every(({ status }) => status === 202 || status === 200)).toBe(true);
      expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
    }
    const { rows } = await app.pool.query(
      `select count(*)::int as n from runs r join workflows w on w.id = r.workflow_id where w.key = 'raced'`,
    );
    expect(rows[0].n).toBe(5);
  });
});
