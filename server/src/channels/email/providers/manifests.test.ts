import { expect, it } from 'vitest';
import { emailProviders } from '../../registry.ts';

const good: Record<string, Record<string, string>> = {
  ses: { region: 'eu-west-1', access_key_id: 'AKID', secret_access_key: 's' },
  sendgrid: { api_key: 'SG.x' },
  postmark: { server_token: 't' },
  resend: { api_key: 're_x' },
  mailgun: { api_key: 'k', domain: 'mg.acme.example' },
};

it.each(Object.entries(good))('%s takes what it needs, and another base_url', (kind, config) => {
  expect(emailProviders[kind]?.complete?.(config)).toMatchObject({ config });
  const elsewhere = { ...config, base_url: 'http://127.0.0.1:8025/path' };
  expect(emailProviders[kind]?.complete?.(elsewhere)).toMatchObject({ config: elsewhere });
});

it.each([
  ...Object.keys(good).flatMap((kind) =>
    [
      'nonsense',
      'file:///etc/passwd',
      'https://user:password@host/',
      'https://host/?q=1',
      'https://host /',
    ].map((base_url) => [kind, { base_url }, 'base_url'] as const),
  ),
  ['ses', { region: 'eu-west-1.evil.example/' }, 'region'],
  ['ses', { region: 'EU' }, 'region'],
  ['ses', { configuration_set: 'a b' }, 'configuration_set'],
  ['ses', { sns_topic_arn: 'arn:aws:s3:::bucket' }, 'sns_topic_arn'],
  ['sendgrid', { webhook_public_key: 'AAAA' }, 'webhook_public_key'],
  ['postmark', { webhook_username: 'u' }, 'webhook_password'],
  ['postmark', { webhook_password: 'password' }, 'webhook_username'],
  ['postmark', { webhook_username: 'a:b', webhook_password: 'password' }, 'webhook_username'],
  ['resend', { webhook_secret: 'secret' }, 'webhook_secret'],
  ['mailgun', { domain: 'mg.acme.example/../x' }, 'domain'],
  ['mailgun', { region: 'mars' }, 'region'],
] as const)('%s refuses %j', (kind, change, field) => {
  expect(emailProviders[kind]?.complete?.({ ...good[kind], ...change })).toMatchObject({
    field,
    problem: expect.stringMatching(/^must|^is required/),
  });
});

it('every secret of every provider is sealed', () => {
  const secrets = Object.values(emailProviders).flatMap(({ manifest }) =>
    manifest.fields.filter(({ secret }) => secret).map(({ name }) => `${manifest.kind}.${name}`),
  );
  expect(secrets).toEqual([
    'smtp.password',
    'ses.secret_access_key',
    'sendgrid.api_key',
    'postmark.server_token',
    'postmark.webhook_password',
    'resend.api_key',
    'resend.webhook_secret',
    'mailgun.api_key',
    'mailgun.webhook_signing_key',
  ]);
});
