import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { computeOutsideTransaction } from './outside-transaction.ts';
import type { TaskRunner } from './task.ts';

let app: TestApp;
/** Which tasks ran, and how many transactions were open meanwhile. */
const ran = new Map<string, number>();
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  const { run } = app.deps.tasks;
  const counting: TaskRunner['run'] = async (task, owner, input) => {
    const { rows } = await app.pool.query(
      `select count(*)::int as open from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    );
    ran.set(task.name, (ran.get(task.name) ?? 0) + rows[0].open);
    return run(task, owner, input);
  };
  Object.assign(app.deps.tasks, { run: counting });
});
afterAll(() => app.stop());

const request = async (method: string, path: string, body: object = {}) => {
  const answer = await app.request(method, path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
};

test('no transaction is open while a definition or a template waits for a thread', async () => {
  const loop = '{% for row in rows %}{{ row.name | upcase }}{% endfor %}'.repeat(400);
  const flat = { subject_template: 's', html_body_template: '<p>short</p>' };
  await request('POST', '/v1/templates', { key: 'large', name: 'Large', ...flat });
  await request('PATCH', '/v1/templates/large', { html_body_template: loop });
  const steps = Array.from({ length: 100 }, (_, index) => ({
    ...{ id: `s${index}`, kind: 'send', channel: 'email', recipient: { address: 'a@sandbox.test' } },
    ...{ template_key: 'large', when: `trigger.number == ${index} ${'|| trigger.other == "x" '.repeat(20)}` },
  }));
  await request('POST', '/v1/workflows', { key: 'large', name: 'Large' });
  await request('POST', '/v1/workflows/large/versions', { body: { steps } });
  expect(await request('POST', '/v1/workflows/large/versions/1/activate')).toMatchObject({ valid: true });
  const promotion = await request('POST', '/v1/workflows/large/promote', { include_templates: true });
  expect(promotion).toMatchObject({ applied: true, target_version: 1 });
  expect(Object.fromEntries(ran)).toMatchObject({ check_template: 0, validate_definition: 0 });
});

test('a transaction begins anew with what it asked for, as long as that changes, but not without end', async () => {
  const compute = async (input: number) => input * 10;
  const options = { compute, nameOf: String };
  const inputs = [1, 2, 2];
  expect(await computeOutsideTransaction(options, async (outputOf) => outputOf(inputs.shift() ?? 0))).toBe(
    20,
  );
  expect(inputs).toEqual([]);
  let changes = 0;
  const changing = computeOutsideTransaction(options, async (outputOf) => {
    changes += 1;
    return outputOf(changes);
  });
  await expect(changing).rejects.toMatchObject({ code: 'temporarily_unavailable' });
  const failing = computeOutsideTransaction(
    { ...options, compute: () => Promise.reject(new Error('no')) },
    async (of) => of(1),
  );
  await expect(failing).rejects.toThrow('no');
});
