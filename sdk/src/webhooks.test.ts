import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { verifyWebhook } from './webhooks.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const body = JSON.stringify({
  id: 'e1',
  type: 'webhook.test',
  created_at: '',
  data: { message: 'naïve 🔔' },
});
const nowMs = Date.parse('2026-03-01T12:00:00Z');

/** As an independent implementation of the standard signs it. */
function headersOf(signingSecret: string, { text = body, atMs = nowMs } = {}): Record<string, string> {
  return {
    'webhook-id': 'e1',
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': new Webhook(signingSecret).sign('e1', new Date(atMs), text),
  };
}
const verify = (options: Partial<Parameters<typeof verifyWebhook>[0]>) =>
  verifyWebhook({ body, headers: headersOf(secret), secret, now_ms: nowMs, ...options });
const code = async (options: Partial<Parameters<typeof verifyWebhook>[0]>): Promise<string> =>
  verify(options).then(
    () => 'verified',
    (error) => error.code,
  );

describe('a call', () => {
  test('of ours is verified, whichever form the raw body and the headers have', async () => {
    const bytes = new TextEncoder().encode(body);
    const headers = headersOf(secret);
    const forms = [
      {},
      { body: bytes },
      { body: Buffer.from(body) },
      { body: bytes.buffer },
      { headers: new Headers(headers) },
      {
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
        ),
      },
      { secret: secret.slice('whsec_'.length) },
      { secret: ` ${secret}\n` },
    ];
    for (const form of forms) expect(await verify(form)).toEqual(JSON.parse(body));
  });

  test('is verified by any of several secrets, and by any of several signatures', async () => {
    expect(await code({ secret: [other, secret] })).toBe('verified');
    const both = headersOf(secret);
    both['webhook-signature'] =
      `${headersOf(other)['webhook-signature']} v2,AAAA v1,!! ${both['webhook-signature']}`;
    expect(await code({ headers: both })).toBe('verified');
    expect(await code({ headers: both, secret: other })).toBe('verified');
  });

  test('of somebody else is refused', async () => {
    expect(await code({ secret: other })).toBe('invalid_signature');
    expect(await code({ body: `${body} ` })).toBe('invalid_signature');
    expect(await code({ headers: { ...headersOf(secret), 'webhook-id': 'e2' } })).toBe('invalid_signature');
    for (const signature of [
      'nonsense',
      'v1,',
      'v1a,AAAA',
      `v2,${headersOf(secret)['webhook-signature']?.slice(3)}`,
    ])
      expect(await code({ headers: { ...headersOf(secret), 'webhook-signature': signature } })).toBe(
        'invalid_signature',
      );
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(await code({ headers: { ...headersOf(secret), [name]: undefined } })).toBe('missing_header');
  });

  test('is refused when it is old, or when the clocks disagree, beyond the tolerance', async () => {
    const at = (seconds: number) => ({ headers: headersOf(secret, { atMs: nowMs + seconds * 1000 }) });
    expect(await code(at(-300))).toBe('verified');
    expect(await code(at(-301))).toBe('timestamp_too_old');
    expect(await code(at(300))).toBe('verified');
    expect(await code(at(301))).toBe('timestamp_too_new');
    expect(await code({ ...at(-3600), tolerance_seconds: 7200 })).toBe('verified');
    for (const timestamp of ['', 'now', '1e9', '-5', '99999999999999'])
      expect(['missing_header', 'invalid_timestamp']).toContain(
        await code({ headers: { ...headersOf(secret), 'webhook-timestamp': timestamp } }),
      );
  });

  test('that is signed and is no event is refused all the same', async () => {
    for (const text of ['', 'null', '[]', '{"id": 1}', 'not json'])
      expect(await code({ body: text, headers: headersOf(secret, { text }) })).toBe('invalid_body');
  });
});

test('mistakes of the caller are said as such', async () => {
  await expect(verify({ body: JSON.parse(body) })).rejects.toThrow('raw body');
  await expect(verify({ secret: [] })).rejects.toThrow('needs a secret');
  await expect(verify({ secret: 'whsec_!!' })).rejects.toThrow('not base64');
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, '300'] as number[]) {
    await expect(verify({ tolerance_seconds: value })).rejects.toThrow('tolerance_seconds must be');
    await expect(verify({ now_ms: value })).rejects.toThrow('now_ms must be');
  }
});
