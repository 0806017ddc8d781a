import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { createOrganization } from '../../test/harness/people.ts';
import { findOperatorCommand } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

/** As the process does with what stands on its command line. */
async function run(...words: string[]): Promise<{ code: number; said: string }> {
  const command = findOperatorCommand(['node', 'main.js', ...words]);
  if (!command) throw new Error('no such command');
  const lines: string[] = [];
  const code = await command.run(app.deps.config, (line) => lines.push(line), command.args);
  return { code, said: lines.join('\n') };
}

const login = (email: string, password: string) =>
  app.request('POST', '/auth/login', { key: null, body: { email, password } });

test('whoever forgot their password gets a new one, beside the running service', async () => {
  const { owner } = await createOrganization(app);
  await login(owner.email, 'a wrong guess');
  await app.pool.query('update login_failures set failures = 60'); // by every count
  await login(owner.email, 'a wrong guess');
  expect((await login(owner.email, 'a wrong guess')).status).toBe(429);

  const { code, said } = await run('--reset-password', owner.email.toUpperCase());
  expect([code, said]).toEqual([0, expect.stringContaining(owner.email.toUpperCase())]);
  const password = /: (\w{20}) /.exec(said)?.[1] ?? '';
  expect((await owner.request('GET', '/auth/me')).status).toBe(401);

  const signedIn = await login(owner.email, password);
  expect(signedIn.status).toBe(204);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const log = await app.request(
    'GET',
    `/v1/audit-log?target=member:${owner.userId}&action=member.password_reset`,
    {
      key: null,
      headers: { cookie },
    },
  );
  expect(log.body.data).toMatchObject([
    { action: 'member.password_reset', actor: { kind: 'system', id: null }, before: null, after: null },
  ]);
  expect(JSON.stringify(log.body)).not.toContain(password);
});

test.each([[[]], [['nobody@example.com']]])(
  'without somebody to help (%j) it lists who there is',
  async (args) => {
    const before = await login(app.adminEmail, app.adminPassword);
    expect(await run('--reset-password', ...args)).toEqual({
      code: 1,
      said: expect.stringContaining('  owner@example.com  Owner, owner of My organization'),
    });
    expect([before.status, (await login(app.adminEmail, app.adminPassword)).status]).toEqual([204, 204]);
  },
);

test('other words start the service', () => {
  expect(findOperatorCommand(['node', 'main.js', '--port', 'toString'])).toBeNull();
});
