import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../kernel/errors.ts';
import { type TaskRunner, TaskStopped } from '../../threads/task.ts';
import type { CallbackRequest, CallbackVerdict, ProviderConfig } from '../contract.ts';
import { shownText } from '../exchange.ts';
import type { Outbound, OutboundCall } from '../http.ts';
import type { SmsMessage } from '../message.ts';
import type { ProviderContext } from '../provider.ts';
import { emailProviders, smsProviders } from '../registry.ts';
import { classify, secretForms } from './api.ts';
import { requestFor, type Variables } from './request.ts';

const url = 'https://gateway.example/send';

/** Sends a text message through a service that accepts everything. */
async function send(config: ProviderConfig, context: Partial<ProviderContext> = {}) {
  const calls: OutboundCall[] = [];
  const request = async (call: OutboundCall) => {
    calls.push(call);
    return { kind: 'answer' as const, status: 200, headers: {}, body: Buffer.alloc(0), latencyMs: 0 };
  };
  const outbound = { request } as unknown as Outbound;
  const carrier = smsProviders.http?.create('http', { url, ...config }, {
    outbound,
    clock: Date.now,
    ...context,
  } as ProviderContext);
  const message: SmsMessage = {
    channel: 'sms',
    notificationId: '0198aaaa-0000-7000-8000-000000000001',
    environmentId: '0198aaaa-0000-7000-8000-00000000000e',
    attempt: 1,
    to: { address: '+447700900123', name: null },
    from: 'Acme',
    text: 'Hi',
  };
  return { outcome: await carrier?.send(message, new AbortController().signal), calls };
}

describe('the settings', () => {
  const problemOf = (changes: ProviderConfig) => {
    const completed = smsProviders.http?.complete?.({ url, ...changes });
    return completed && 'problem' in completed ? `${completed.field} ${completed.problem}` : null;
  };

  test.each<[string, ProviderConfig]>([
    ['a JSON body', { body: '{"to": "{{ to }}", "text": "{{ text }}"}' }],
    ['a form', { form: { to: '{{ to }}' } }],
    ['variables in the path and the query', { url: `${url}/{{ to }}?text={{ text }}`, method: 'GET' }],
    ['a credential from the secret', { headers: { Authorization: 'Bearer {{ secret }}' } }],
    [
      'a credential in an encoding',
      { headers: { Authorization: 'Basic {{ "secret: a | upcase" | append: secret | base64_encode }}' } },
    ],
    ['statuses and ranges', { success_statuses: '200, 202-204' }],
    [
      'the secret in a known encoding, under a condition, and its name in a text or as a part of something else',
      {
        headers: {
          'X-Key':
            '{% if to and secret %}{{ "user:" | append: secret | base64_encode }}{% endif %}{{ "secret" | upcase }}{{ data.secret | upcase }}',
        },
      },
    ],
    ['pointers with escapes', { message_id_pointer: '/a~1b/0/c~0d' }],
  ])('can have %s', (_title, changes) => {
    expect(problemOf(changes)).toBeNull();
  });

  test.each<[string, ProviderConfig, string]>([
    ['a host from a variable', { url: 'https://{{ to }}/send' }, 'url must be'],
    ['a part of the host from a variable', { url: 'https://gateway.{{ to }}.example/' }, 'url must be'],
    ['a user name in the URL', { url: 'https://user:pass@gateway.example/' }, 'url must be'],
    ['another scheme', { url: 'file:///etc/passwd' }, 'url must be'],
    ['a check on another host', { check_url: 'https://elsewhere.example/' }, 'check_url must be'],
    ['a body and a form', { body: '{}', form: { a: 'b' } }, 'form cannot'],
    ['a body with GET', { body: '{}', method: 'GET' }, 'body cannot'],
    ['a credential in plain text', { headers: { 'X-Api-Key': 'abc' } }, 'headers must not hold a credential'],
    [
      'a part of the secret',
      { headers: { 'X-Key': '{{ secret | slice: 0, 4 }}' } },
      'headers must not use the filter slice on secret',
    ],
    [
      'the secret under another name',
      { body: '{% assign key = secret %}"{{ key | reverse }}"' },
      'body must not use secret in a tag',
    ],
    ...(
      [
        ['{{ secret | append: "}}" | upcase }}', 'must not use the filter upcase on secret'],
        ['{{ "a}}b" | append: secret | upcase }}', 'must not use the filter upcase on secret'],
        ['{{ ["secret"] | upcase }}', 'must not use the filter upcase on secret'],
        ['{{ "\\"" | append: secret | upcase | append: "\\"" }}', 'must not use the filter upcase on secret'],
        ['{% capture key %}{{ secret }}{% endcapture %}{{ key | upcase }}', 'must not use secret in a tag'],
        ['{% assign name = "secret" %}{{ [name] | upcase }}', 'must not use a part of secret'],
        ['{{ secret[0] }}', 'must not use a part of secret'],
      ] as const
    ).map(([header, problem]): [string, ProviderConfig, string] => [
      `the secret in another form: ${header}`,
      { headers: { 'X-Key': header } },
      `headers ${problem}`,
    ]),
    ['a header of the connection', { headers: { Host: 'x' } }, 'headers must not have "Host"'],
    ['a header that is none', { headers: { 'a b': 'x' } }, 'headers must not have "a b"'],
    ['a template that is none', { body: '{"a": "{{ to "}' }, 'body is not a valid template'],
    ['templates that take long to parse', { body: '{{a}}'.repeat(1_900) }, 'body is too long'],
    ['a pointer that is none', { message_id_pointer: 'id' }, 'message_id_pointer must be a JSON Pointer'],
    ['statuses that are none', { success_statuses: '2xx' }, 'success_statuses must be'],
    ['a value without its pointer', { success_value: 'OK' }, 'success_value needs'],
    ['an unknown class', { error_classes: { 409: 'again' } }, 'error_classes must have one of'],
    ['an unknown status', { callback_statuses: { ok: 'fine' } }, 'callback_statuses must have one of'],
    [
      'callbacks without a secret',
      { callback_auth: 'header', callback_header: 'X-Key' },
      'callback_secret is',
    ],
    ['callbacks without statuses', { callback_auth: 'url' }, 'callback_status_pointer is required'],
  ])('cannot have %s', (_title, changes, problem) => {
    expect(problemOf(changes)).toContain(problem);
  });
});

describe('a request', () => {
  const evil = '"}, {"admin": true\r\nX-Evil: 1\u2028 & # ? / \\';
  const make = (config: ProviderConfig, variables: Variables = { to: '+447700900123', text: evil }) =>
    requestFor({ url, ...config }, variables, [], { owner: 'environment' });

  test('has data that cannot shape a JSON body', async () => {
    const { method, headers, body } = await make({ body: '{"to": "{{ to }}", "text": "{{ text }}"}' });
    expect([method, headers]).toEqual(['POST', { 'content-type': 'application/json' }]);
    expect(JSON.parse(String(body))).toEqual({ to: '+447700900123', text: evil });
  });

  test('has data that cannot shape a form', async () => {
    const { headers, body } = await make({ form: { to: '{{ to }}', 'te xt': '{{ text }}' } });
    expect(headers).toEqual({ 'content-type': 'application/x-www-form-urlencoded' });
    expect([...new URLSearchParams(String(body))]).toEqual([
      ['to', '+447700900123'],
      ['te xt', evil],
    ]);
  });

  test('has data that cannot shape the URL', async () => {
    const made = await make({ url: `${url}/{{ to }}?text={{ text }}&end=1`, method: 'GET' });
    const { origin, pathname, searchParams } = new URL(made.url);
    expect([origin, pathname]).toEqual(['https://gateway.example', '/send/%2B447700900123']);
    expect([...searchParams]).toEqual([
      ['text', evil],
      ['end', '1'],
    ]);
    expect(made.body).toBeUndefined();
  });

  test('goes to no other host, even if the template decodes the data', async () => {
    const decoding = { url: 'https://gateway.example{{ to | url_decode }}/' };
    expect(smsProviders.http?.complete?.(decoding)).toMatchObject({ field: 'url' });
    await expect(
      make({ url: `${url}`.replace('/send', '{{ to }}') }, { to: '@evil.example' }),
    ).rejects.toThrow('same host');
  });

  test('with a large text costs the URL nothing that does not name it', async () => {
    const large = { to: 'ada', html: 'x'.repeat(1_300_000), headers: { a: 'x'.repeat(100_000) } };
    const made = await make({ url: `${url}/{{ to }}/html`, form: { html: '{{ html }}' } }, large);
    expect([made.url, made.body?.length]).toEqual([`${url}/ada/html`, 1_300_005]);
    await expect(make({ url: `${url}/{{ html }}` }, large)).rejects.toThrow('limit of a template');
  });

  test.each([
    ['..', `${url}/{{ to }}/x`],
    ['.', `${url}/{{ to }}?a=b`],
    ['.', `${url}/.{{ to }}`],
    ['.\t.', `${url}/{{ to | url_decode }}/x`],
  ])('has no segment %j from data in its path %s', async (to, template) => {
    await expect(make({ url: template }, { to })).rejects.toThrow('segment . or ..');
    expect((await make({ url: `${url}/{{ to }}x?to={{ to }}` }, { to: '..' })).url).toContain('/..x?to=..');
    expect((await make({ url: `${url}/../x` }, { to })).url).toBe(`${url}/../x`);
  });

  test('has data that cannot add a header', async () => {
    const { headers } = await make({ headers: { 'X-Text': 'a{{ text }}' } }, { text: 'b\r\nX-Evil: 1' });
    expect(headers).toEqual({ 'x-text': 'ab X-Evil: 1' });
    await expect(make({ headers: { 'X-Text': '{{ text }}' } }, { text: '東京' })).rejects.toThrow('X-Text');
  });

  test('is refused when its body is not JSON', async () => {
    await expect(make({ body: '{"text": {{ text }}{{ text }}}' })).rejects.toThrow('does not render to JSON');
  });

  test('has each attachment wherever the body names it, and not without end', async () => {
    const files = [Buffer.alloc(1_500_000, 'a'), Buffer.from('small')];
    const [big = '', small = ''] = files.map((file) => file.toString('base64'));
    const variables = { attachments: [{ filename: 'big' }, { filename: 'small' }] };
    const content = (n: number) => `"{{ attachments[${n}].content }}",`;
    const contentsOf = async (template: string): Promise<string[]> => {
      const { body } = await requestFor({ url, body: `[${template}""]` }, variables, files, { owner: 'e' });
      return JSON.parse(String(body)).slice(0, -1);
    };
    const small50 = `{% for i in (1..50) %}${content(1)}{% endfor %}`;
    expect(await contentsOf(content(0) + small50 + content(0))).toEqual([big, ...Array(50).fill(small), big]);
    await expect(contentsOf(`{% for i in (1..9000) %}${content(0)}{% endfor %}`)).rejects.toThrow(
      'the attachments are written too often',
    );
  });

  test('cannot take more work than a template may', async () => {
    const loop = '{% for a in (1..10000) %}{% for b in (1..10000) %}x{% endfor %}{% endfor %}';
    await expect(make({ body: `"${loop}"` })).rejects.toThrow(/limit|range/);
  });
});

describe('the secret', () => {
  const secret = 'a/b+c d&é=!';

  test('is not shown in any form in which it is sent', () => {
    const basic = Buffer.from(`user:${secret}`).toString('base64');
    const forms = secretForms(secret, { authorization: `Basic ${basic}` });
    const base64 = Buffer.from(secret).toString('base64');
    for (const text of [secret, encodeURIComponent(secret), base64, base64.replace(/=+$/, ''), basic])
      expect(shownText(`no such key: ${text}`, forms)).toMatch(/^no such key: ••••=*$/);
  });

  test('is not shown in the path of a call', async () => {
    const { calls } = await send({ url: 'https://gateway.example/{{ secret }}/send', secret });
    expect(calls[0]?.secrets).toContain(secret);
  });
});

describe('a message that cannot be built', () => {
  const loop = '{% for a in (1..1000) %}{% for b in (1..1000) %}x{% endfor %}{% endfor %}';
  /** What a thread throws: only a Problem is more than a text. */
  const inThread: TaskRunner = {
    async run(task, _owner, input) {
      try {
        return await task.work(input);
      } catch (error) {
        throw error instanceof Problem ? error : new Error(String(error));
      }
    },
  };
  const stopping = async () => {
    throw new Problem('temporarily_unavailable', 'The service is stopping. Try again.');
  };
  const endedThread = async () => {
    throw new TaskStopped('it took too long');
  };

  test.each<[string, ProviderConfig]>([
    ['a template', { body: `"${loop}"` }],
    ['JSON', { body: '{' }],
    ['a header', { headers: { 'X-Text': '東京' } }],
    ['a URL', { url: `${url}/{{ to | slice: 0, 0 }}..` }],
  ])('because of %s is rejected', async (_title, config) => {
    const { outcome, calls } = await send(config, { tasks: inThread });
    expect([outcome, calls]).toMatchObject([{ kind: 'rejected', code: 'message' }, []]);
  });

  test.each([
    ['a service that stops', stopping],
    ['a thread that was ended', endedThread],
  ])('because of %s is retried, and the provider is not to blame', async (_title, run) => {
    const { outcome } = await send({ body: `"${loop}"` }, { tasks: { run } });
    expect(outcome).toMatchObject({ kind: 'retry', code: 'internal', internal: true });
  });
});

describe('an answer', () => {
  const kindOf = (body: unknown, config: ProviderConfig) => {
    const answer = {
      status: 200,
      headers: {},
      json: null,
      parsed: body,
      text: '',
      at: 0,
      retryAfterMs: null,
    };
    return classify({ url, ...config }, answer).kind;
  };

  test.each<[string, unknown, string]>([
    ['a text', 'ok', 'accepted'],
    ['an object', { id: 1 }, 'accepted'],
    ['a list', [], 'accepted'],
    ['zero', 0, 'accepted'],
    ['false', false, 'accepted'],
    ['null', null, 'ambiguous'],
    ['an empty text', '', 'ambiguous'],
    ['nothing', undefined, 'ambiguous'],
  ])('with %s at success_pointer', (_title, value, kind) => {
    expect(kindOf({ data: value }, { success_pointer: '/data' })).toBe(kind);
  });

  test.each<[string, unknown, string]>([
    ['the value', true, 'accepted'],
    ['another value', false, 'rejected'],
    ['an object', {}, 'ambiguous'],
  ])('with %s where success_value belongs', (_title, value, kind) => {
    expect(kindOf({ ok: value }, { success_pointer: '/ok', success_value: 'true' })).toBe(kind);
  });
});

describe('a callback', () => {
  const config: ProviderConfig = {
    url,
    callback_auth: 'url',
    callback_header: 'X-Key',
    callback_secret: 'a callback secret',
    callback_id_pointer: '/ref',
    callback_status_pointer: '/state',
    callback_time_pointer: '/at',
    callback_statuses: { DELIVRD: 'delivered', UNDELIV: 'bounced' },
    reply_from_pointer: '/from',
    reply_text_pointer: '/text',
  };
  const id = '0198aaaa-0000-7000-8000-000000000001';

  async function read(
    changes: Partial<Omit<CallbackRequest, 'body'>> & { body?: string },
    more: ProviderConfig = {},
    providers = smsProviders,
  ): Promise<CallbackVerdict> {
    const { body = '', ...rest } = changes;
    const request = { url: '', method: 'POST', headers: {}, query: {}, body: Buffer.from(body), ...rest };
    const verdict = await providers.http?.readCallback?.(
      request,
      { ...config, ...more },
      {
        clock: Date.now,
        outbound: undefined as never,
      },
    );
    if (!verdict) throw new Error('the kind reads no callbacks');
    return verdict;
  }

  const delivered = { about: 'notification', notificationId: id, receipt: { type: 'Delivered' } };

  test.each<[string, Parameters<typeof read>[0]]>([
    ['JSON', { body: JSON.stringify({ ref: id, state: 'DELIVRD' }) }],
    [
      'a list',
      { body: JSON.stringify([{ ref: id, state: 'delivrd' }, { ref: id, state: 'SENT' }, null, 5]) },
    ],
    [
      'a form',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: `ref=${id}&state=DELIVRD` },
    ],
    ['a query', { method: 'GET', query: { ref: id, state: 'DELIVRD' } }],
    ['a URL that names the notification', { query: { n: id }, body: '{"state": "DELIVRD"}' }],
  ])('is read as %s', async (_title, request) => {
    expect(await read(request)).toMatchObject({ kind: 'reports', reports: [delivered] });
  });

  test.each([
    ['an ISO time', '2026-11-18T10:00:00Z'],
    ['Unix seconds', 1_794_996_000],
    ['Unix milliseconds', '1794996000000'],
  ])('has the time of the event from %s', async (_title, at) => {
    const verdict = await read({ body: JSON.stringify({ ref: id, state: 'DELIVRD', at }) });
    expect(verdict).toMatchObject({ reports: [{ receipt: { at: '2026-11-18T10:00:00.000Z' } }] });
  });

  test('needs the secret in its header, when the settings say so', async () => {
    const body = JSON.stringify({ ref: id, state: 'DELIVRD' });
    const by = (key: string) => read({ headers: { 'x-key': key }, body }, { callback_auth: 'header' });
    expect(await by('a callback secret')).toMatchObject({ kind: 'reports' });
    for (const wrong of ['', 'a callback secre', 'another'])
      expect(await by(wrong)).toMatchObject({ kind: 'refused', status: 401 });
  });

  test.each(['hex', 'base64'] as const)(
    'needs the HMAC of its body in %s, when the settings say so',
    async (form) => {
      const body = JSON.stringify({ ref: id, state: 'DELIVRD' });
      const signature = createHmac('sha256', 'a callback secret').update(body).digest(form);
      const hmac = { callback_auth: 'hmac_sha256' };
      expect(await read({ headers: { 'x-key': signature }, body }, hmac)).toMatchObject({ kind: 'reports' });
      expect(await read({ headers: { 'x-key': signature }, body: `${body} ` }, hmac)).toMatchObject({
        kind: 'refused',
        status: 401,
      });
      const empty = createHmac('sha256', 'a callback secret').update('').digest(form);
      const query = { ref: id, state: 'DELIVRD' };
      expect(await read({ method: 'GET', query, headers: { 'x-key': empty } }, hmac)).toMatchObject({
        kind: 'refused',
        status: 401,
      });
    },
  );

  test('that is a form has a bounded number of fields, also if its content type names something else', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; json' };
    await expect(read({ headers, body: 'a=b&'.repeat(1_001) })).rejects.toThrow('form with more than');
  });

  test('is refused when it is nested too deeply', async () => {
    const nested = (levels: number) =>
      `{"state":"DELIVRD","ref":"${id}","a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(await read({ body: nested(99) })).toMatchObject({ reports: [delivered] });
    for (const levels of [100, 10_000])
      expect(await read({ body: nested(levels) })).toMatchObject({ kind: 'refused', status: 400 });
  });

  test('is refused until the settings say how it is verified', async () => {
    const body = JSON.stringify({ ref: id, state: 'DELIVRD' });
    expect(await read({ body }, { callback_auth: null })).toMatchObject({ kind: 'refused', status: 401 });
  });

  test('over SMS may be a reply of STOP or START, over email it says nothing', async () => {
    const reply = (text: string) => ({ body: JSON.stringify({ from: '+447700900123', text }) });
    expect(await read(reply('Stop.'))).toMatchObject({
      reports: [{ about: 'recipient', address: '+447700900123', wants: 'nothing' }],
    });
    expect(await read(reply('START'))).toMatchObject({ reports: [{ wants: 'again' }] });
    expect(await read(reply('Thanks!'))).toEqual({ kind: 'reports', reports: [] });
    expect(await read(reply('STOP'), {}, emailProviders)).toEqual({ kind: 'reports', reports: [] });
  });
});
