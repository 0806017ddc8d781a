import { expect, it } from 'vitest';
import { completeConfig } from './manifest.ts';

const good = { api_key: 're_x' };

it.each([[{ webhook_secret: 'secret' }, 'webhook_secret']])('resend refuses %j', (change, field) => {
  expect(completeConfig({ ...good, ...change })).toMatchObject({
    field,
    problem: expect.stringMatching(/^must|^is required/),
  });
});
