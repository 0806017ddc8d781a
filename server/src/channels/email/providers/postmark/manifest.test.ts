import { expect, it } from 'vitest';
import { completeConfig } from './manifest.ts';

const good = { server_token: 't' };

it.each([
  [{ webhook_username: 'u' }, 'webhook_password'],
  [{ webhook_password: 'password' }, 'webhook_username'],
  [{ webhook_username: 'a:b', webhook_password: 'password' }, 'webhook_username'],
])('postmark refuses %j', (change, field) => {
  expect(completeConfig({ ...good, ...change })).toMatchObject({
    field,
    problem: expect.stringMatching(/^must|^is required/),
  });
});
