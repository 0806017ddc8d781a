import { expect, it } from 'vitest';
import { completeConfig } from './manifest.ts';

const good = { region: 'eu-west-1', access_key_id: 'AKID', secret_access_key: 's' };

it.each([
  [{ region: 'eu-west-1.evil.example/' }, 'region'],
  [{ region: 'EU' }, 'region'],
  [{ configuration_set: 'a b' }, 'configuration_set'],
  [{ sns_topic_arn: 'arn:aws:s3:::bucket' }, 'sns_topic_arn'],
])('ses refuses %j', (change, field) => {
  expect(completeConfig({ ...good, ...change })).toMatchObject({
    field,
    problem: expect.stringMatching(/^must|^is required/),
  });
});
