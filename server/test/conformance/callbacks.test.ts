import { generateKeyPairSync } from 'node:crypto';
import { emailProviders, type ProviderKind } from '../../src/channels/registry.ts';
import type { CallbackCall } from '../simulators/email-provider.ts';
import { examineCallbacks } from './callback-exam.ts';
import { mailgunBench, postmarkBench, resendBench, sendgridBench, sesBench } from './email-benches.ts';

function kindOf(name: string): ProviderKind {
  const kind = emailProviders[name];
  if (!kind) throw new Error(`there is no ${name}`);
  return kind;
}

const hour = 3_600_000;
const minute = 60_000;
/** The same call about somebody else. */
const renamed = ({ headers, body }: CallbackCall): CallbackCall => ({
  headers,
  body: body.replaceAll('0198aaaa', '0198bbbb'),
});
const withHeader =
  (name: string, change: (value: string) => string) =>
  ({ headers, body }: CallbackCall): CallbackCall => ({
    headers: { ...headers, [name]: change(headers[name] ?? '') },
    body,
  });

examineCallbacks({
  kind: kindOf('ses'),
  start: sesBench,
  needs: 'sns_topic_arn',
  foreign: () => 'arn:aws:sns:eu-west-1:123456789012:another-topic',
  forge({ headers, body }) {
    const message = JSON.parse(body);
    return {
      headers,
      body: JSON.stringify({ ...message, Signature: Buffer.alloc(256, 1).toString('base64') }),
    };
  },
  tamper: renamed,
  age: { takenMs: hour, refusedMs: 3 * hour },
});

examineCallbacks({
  kind: kindOf('sendgrid'),
  start: sendgridBench,
  needs: 'webhook_public_key',
  foreign: () =>
    generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
      .publicKey.export({ format: 'der', type: 'spki' })
      .toString('base64'),
  forge: withHeader('x-twilio-email-event-webhook-signature', () =>
    Buffer.from('nonsense').toString('base64'),
  ),
  tamper: renamed,
  age: { takenMs: 24 * hour, refusedMs: 26 * hour },
});

examineCallbacks({
  kind: kindOf('postmark'),
  start: postmarkBench,
  needs: 'webhook_password',
  foreign: () => 'another-password',
  forge: withHeader('authorization', () => `Basic ${Buffer.from('postmark:guess').toString('base64')}`),
  tamper: null,
  age: null,
});

examineCallbacks({
  kind: kindOf('resend'),
  start: resendBench,
  needs: 'webhook_secret',
  foreign: () => `whsec_${Buffer.from('another account altogether').toString('base64')}`,
  forge: withHeader('svix-signature', () => `v1,${Buffer.alloc(32, 1).toString('base64')} v2,x v1, v1`),
  tamper: renamed,
  age: { takenMs: 4 * minute, refusedMs: 6 * minute },
});

examineCallbacks({
  kind: kindOf('mailgun'),
  start: mailgunBench,
  needs: 'webhook_signing_key',
  foreign: () => 'another-signing-key',
  forge({ headers, body }) {
    return { headers, body: body.replace(/"signature":"[0-9a-f]{64}"/, `"signature":"${'0'.repeat(64)}"`) };
  },
  tamper: null,
  age: { takenMs: 11 * hour, refusedMs: 13 * hour },
});
