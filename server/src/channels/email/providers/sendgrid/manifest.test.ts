import { expect, it } from 'vitest';
import { completeConfig } from './manifest.ts';

const good = { api_key: 'SG.x' };

it.each([[{ webhook_public_key: 'AAAA' }, 'webhook_public_key']])('sendgrid refuses %j', (change, field) => {
  expect(completeConfig({ ...good, ...change })).toMatchObject({
    field,
    problem: expect.stringMatching(/^must|^is required/),
  });
});
