import { expect, it } from 'vitest';
import { completeConfig } from './manifest.ts';

const good = { api_key: 'k', domain: 'mg.acme.example' };

it.each([
  [{ domain: 'mg.acme.example/../x' }, 'domain'],
  [{ region: 'mars' }, 'region'],
])('mailgun refuses %j', (change, field) => {
  expect(completeConfig({ ...good, ...change })).toMatchObject({
    field,
    problem: expect.stringMatching(/^must|^is required/),
  });
});
