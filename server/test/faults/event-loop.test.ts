import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { request as undiciRequest } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { query } from '../../src/db/sql.ts';
import { findOrganizationId } from '../../src/features/platform/accounts/index.ts';
import { readBody } from '../../src/http/json.ts';
import { newId } from '../../src/kernel/ids.ts';
import { allRoutes } from '../../src/routes.ts';
import type { TaskRunner } from '../../src/threads/task.ts';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { openThreads } from '../harness/threads.ts';

/** What one tenant sends must not hold the process: work that may take long leaves the main thread, or is refused before. */
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.stop();
  expect(openThreads()).toBe(0);
});

/** The tasks that left the main thread while something was done. */
async function tasksIn(work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const { tasks } = app.deps;
  const watched = (runner: TaskRunner): TaskRunner['run'] => {
    const { run } = runner;
    runner.run = (task, owner, input) => {
      if (!task.isLight(input)) names.push(task.name);
      return Reflect.apply(run, runner, [task, owner, input]) as never;
    };
    return run;
  };
  const [run, patient] = [watched(tasks), watched(tasks.unlimited)];
  try {
    await work();
  } finally {
    tasks.run = run;
    tasks.unlimited.run = patient;
  }
  return names;
}

const email = { channel: 'email', recipient: { address: 'ada@sandbox.test' }, subject: 'Hello' };
const send = (body: unknown, headers: Record<string, string> = {}) =>
  app.request('POST', '/v1/notifications', { body, headers });

describe('HTML that is nested without end', () => {
  const html = '<b>'.repeat(33_300);

  test('is turned into text in a thread, once, and is not again when people look at it', async () => {
    let id = '';
    const sending = await tasksIn(async () => {
      id = (await send({ ...email, html_body: html })).body.id;
      await app.waitFor(id, ({ status }) => status === 'delivered');
    });
    expect(sending).toContain('text_of_html');
    const looking = await tasksIn(async () => {
      const { body } = await app.request('GET', `/v1/sandbox/messages?limit=100&notification_id=${id}`);
      expect(body.data[0].payload.text).toEqual(expect.any(String));
      const content = await app.request('GET', `/v1/notifications/${id}/content`);
      expect(content.body.text).toBe(body.data[0].payload.text);
    });
    expect(looking).not.toContain('text_of_html');
  });

  test('of a draft of a template is previewed in a thread', async () => {
    const body = { channel: 'email', subject_template: 'Hi', html_template: html };
    const names = await tasksIn(async () => {
      expect((await app.request('POST', '/v1/templates/preview', { body })).status).toBe(200);
    });
    expect(names).toContain('text_of_html');
  });

  test('of an inbox item is sanitised in a thread', async () => {
    const item = {
      channel: 'in_app',
      recipient: { external_user_id: 'ada' },
      html_body: '<b>'.repeat(9_000),
    };
    const names = await tasksIn(async () => {
      const { body } = await send(item);
      await app.waitFor(body.id, ({ status }) => status === 'delivered');
    });
    expect(names).toContain('sanitize_html');
  });

  test('that is changed or erased takes its text along', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const kept = async (id: string) => {
      const [row] = await query<{ text_alternative: string | null }>(
        app.pool,
        'select text_alternative from notification_contents where notification_id = $1',
        [id],
      );
      return row?.text_alternative;
    };
    const { id } = (await send({ ...email, html_body: `<p>One</p>${html}`, send_at: later })).body;
    expect((await app.request('GET', `/v1/notifications/${id}/content`)).body.text).toContain('One');
    expect(await kept(id)).toContain('One');
    await app.request('PATCH', `/v1/notifications/${id}`, { body: { html_body: '<p>Two</p>' } });
    expect(await kept(id)).toBeNull();
    expect((await app.request('GET', `/v1/notifications/${id}/content`)).body.text).toBe('Two');

    const sent = (await send({ ...email, html_body: html })).body.id;
    await app.waitFor(sent, ({ status }) => status === 'delivered');
    expect(await kept(sent)).toEqual(expect.any(String));
    await app.request('DELETE', `/v1/notifications/${sent}`);
    expect((await kept(sent)) ?? null).toBeNull();
  });
});

test('an email without text gets what its HTML says, and ordinary ones stay on the main thread', async () => {
  const html_body =
    '<style>p{}</style><h1>Hi</h1><p>Go to <a href="https://acme.example/x">the shop</a>.</p><script>x</script>';
  let id = '';
  const names = await tasksIn(async () => {
    id = (await send({ ...email, html_body })).body.id;
    await app.waitFor(id, ({ status }) => status === 'delivered');
  });
  expect(names).toEqual([]);
  const { body } = await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`);
  expect(body.data[0].payload.text).toContain('Go to the shop [https://acme.example/x].');
  expect(body.data[0].payload.text).not.toMatch(/script|p\{\}/);
  expect(body.data[0].payload.mime).toContain('Go to the shop');
});

describe('the body of a request', () => {
  const data = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

  test('of many values is refused, also when each element of a batch has few', async () => {
    const { status, body } = await send({ ...email, text_body: 'x', template_data: data(10_000) });
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
    const notifications = Array(21).fill({ ...email, text_body: 'x', extra: data(5_000) });
    const batch = await app.request('POST', '/v1/notifications/batch', { body: { notifications } });
    expect([batch.status, batch.body.error.code]).toEqual([413, 'payload_too_large']);
  });

  test('that is large is read in a thread, also a batch of 500 with data of their own', async () => {
    const notifications = Array.from({ length: 500 }, (_, n) => ({
      ...email,
      text_body: `Number ${n}`,
      template_data: data(150),
      idempotency_key: `loop-${n}`,
    }));
    const names = await tasksIn(async () => {
      const { status, body } = await app.request('POST', '/v1/notifications/batch', {
        body: { notifications },
      });
      expect(status).toBe(202);
      const texts = body.data.map(
        (each: { notification: { text_body: string } }) => each.notification?.text_body,
      );
      expect(texts).toEqual(notifications.map(({ text_body }) => text_body));
    });
    expect(names).toEqual(['read_body']);
  });

  test('that is mostly text is read at once: a batch of a hundred ordinary sends', async () => {
    const read = (texts: string[]) =>
      tasksIn(async () => {
        const notifications = texts.map((text_body) => ({ ...email, text_body }));
        const { status } = await app.request('POST', '/v1/notifications/batch', { body: { notifications } });
        expect(status).toBe(202);
      });
    expect(await read(Array(100).fill('ü'.repeat(500)))).toEqual([]);
    expect(await read(Array(100).fill('x'.repeat(3_000)))).toEqual(['read_body']);
    expect(await read(Array(500).fill('x'.repeat(300)))).toEqual(['read_body']);
  });

  test('keeps the elements of a large batch apart', async () => {
    const good = { ...email, text_body: 'x'.repeat(50_000) };
    const notifications = [
      good,
      { ...good, template_data: data(10_001) },
      { ...good, text_body: '\0' },
      7,
      good,
    ];
    const { body } = await app.request('POST', '/v1/notifications/batch', {
      body: { notifications },
    });
    expect(body.data.map((each: { error?: { code: string } }) => each.error?.code ?? 'taken')).toEqual([
      'taken',
      'payload_too_large',
      'parameter_invalid',
      'parameter_invalid',
      'taken',
    ]);
  });

  test('is read in a thread as it is on the main thread', async () => {
    const texts = [
      '{"a":[1,"é\\ud800",{"b":null}]}',
      '{"list":[1,{"a":2},"x"],"b":true}',
      '{"list":[{"__proto__":1},{"a":"\\u0000"},[[[]]]]}',
      '{"a":1e999}',
      '[1,,2]',
      '"text"',
    ];
    const outcome = (text: string, independentList?: string) =>
      readBody(app.deps.tasks, 'me', Buffer.from(text), independentList).catch((error: unknown) => error);
    const padding = ' '.repeat(70_000);
    for (const text of texts)
      for (const independentList of [undefined, 'list'])
        expect(await outcome(text + padding, independentList)).toEqual(await outcome(text, independentList));
  });

  test('with large attachments is read, hashed and told from another', async () => {
    const bytes = Buffer.alloc(3_000_000, 65);
    const attachments = [
      {
        filename: 'a.bin',
        content_type: 'application/octet-stream',
        content_base64: bytes.toString('base64'),
      },
    ];
    const key = { 'idempotency-key': 'large' };
    const body = { ...email, text_body: 'x', attachments };
    const names = await tasksIn(async () => {
      expect((await send(body, key)).status).toBe(202);
    });
    expect(names).toEqual(expect.arrayContaining(['read_body', 'hash_body']));
    expect((await send(body, key)).status).toBe(200);
    const other = Buffer.from(bytes).fill(66).toString('base64');
    const changed = { ...body, attachments: [{ ...attachments[0], content_base64: other }] };
    expect((await send(changed, key)).body.error.code).toBe('idempotency_key_reused');
    const broken = {
      ...body,
      attachments: [{ ...attachments[0], content_base64: `${other.slice(0, -4)}AA!=` }],
    };
    expect((await send(broken)).body.error.param).toBe('attachments[0].content_base64');
  });

  test('is 16 KiB at most where no credentials are asked for, unless a provider needs more', async () => {
    const open = allRoutes(app.services).filter(
      ({ access, method }) => access === 'public' && method !== 'GET',
    );
    const exceptions: string[] = [];
    for (const { operation, method, path, bodyLimit } of open) {
      if (bodyLimit !== undefined && bodyLimit > 16_384) exceptions.push(operation);
      else {
        const { statusCode } = await undiciRequest(app.url + path.replaceAll(/:\w+/g, 'x'), {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: 'x'.repeat(17_000) }),
        });
        expect([operation, statusCode]).toEqual([operation, 413]);
      }
    }
    // The form of the preference page names every category with every channel.
    expect(exceptions.sort()).toEqual(['receiveCallback', 'receiveChatoneEvent', 'savePreferencePage']);
  });

  test('of a callback is not read before its token is known to be ours', async () => {
    // It says that a body will come and sends none: whoever wanted to read it would wait.
    const { port, hostname } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /hooks/sendgrid/AAAA HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /);
  });
});

test('a key has eight previews at a time, and another key of the environment its own', async () => {
  const { tasks } = app.deps;
  const { run } = tasks;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let waiting = 0;
  tasks.run = async (task, owner, input) => {
    if (task.name === 'compile_mjml') {
      waiting += 1;
      await opened;
    }
    return run(task, owner, input);
  };
  const body = { channel: 'email', subject_template: 'Hi', html_template: '<mjml><mj-body /></mjml>' };
  const preview = (key?: string) =>
    app.request('POST', '/v1/templates/preview', { body, ...(key ? { key } : {}) });
  const previews = Array.from({ length: 8 }, () => preview());
  await waitUntil(async () => waiting === 8 || new Error(`${waiting} are waiting`));
  const refused = await preview();
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(refused.headers.get('retry-after')).toBe('1');
  const made = await app.request('POST', '/v1/api-keys', { body: { name: 'Other', preset: 'full_access' } });
  previews.push(preview(made.body.key));
  await waitUntil(async () => waiting === 9 || new Error(`${waiting} are waiting`));
  open();
  expect((await Promise.all(previews)).map(({ status }) => status)).toEqual(Array(9).fill(200));
  tasks.run = run;
  expect((await preview()).status).toBe(200);
});

test('the environments of an organization share the threads: the pool knows whose they are', async () => {
  const { testEnvironmentId, liveEnvironmentId, pool } = app;
  const owners = [testEnvironmentId, liveEnvironmentId, 'public', newId()];
  const [test, live, ...others] = await Promise.all(owners.map((owner) => findOrganizationId(pool, owner)));
  expect(test).toEqual(expect.any(String));
  expect([live, ...others]).toEqual([test, null, null]);
});

describe('a schema of trigger data', () => {
  const save = (key: string, trigger_data_schema: object) =>
    app.request('POST', `/v1/workflows/${key}/versions`, {
      body: { body: { trigger_data_schema, steps: [{ id: 'a', kind: 'noop' }] } },
    });
  const create = (key: string) => app.request('POST', '/v1/workflows', { body: { key, name: key } });
  const trigger = (key: string, trigger_data: object) =>
    app.request('POST', `/v1/workflows/${key}/trigger`, { body: { trigger_data } });

  test('may have a pattern that would backtrack: it is checked in linear time, off the main thread', async () => {
    await create('pattern');
    await save('pattern', { properties: { a: { pattern: '^(a+)+$' } } });
    expect((await app.request('POST', '/v1/workflows/pattern/versions/1/activate')).status).toBe(200);
    const names = await tasksIn(async () => {
      const refused = await trigger('pattern', { a: `${'a'.repeat(40)}b` });
      expect([refused.status, refused.body.error.param]).toEqual([422, '/a']);
      expect((await trigger('pattern', { a: 'aaa' })).status).toBe(202);
    });
    expect(names).toEqual(['check_trigger_data', 'check_trigger_data']);
  });

  test('is refused with a pattern that linear time cannot check, and says where', async () => {
    await create('look');
    const { status, body } = await save('look', { properties: { a: { pattern: 'a(?=b)' } } });
    expect([status, body.error.param]).toEqual([400, '/trigger_data_schema/properties/a/pattern']);
    expect(body.error.message).toContain('look-ahead');
  });

  test('whose references double at every step is stopped, and others are served meanwhile', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => {
        const next = { $ref: `#/$defs/a${n + 1}` };
        return [`a${n}`, n === 59 ? { type: 'object' } : { allOf: [next, next] }];
      }),
    );
    await create('bomb');
    expect((await save('bomb', { $ref: '#/$defs/a0', $defs })).status).toBe(201);
    await app.request('POST', '/v1/workflows/bomb/versions/1/activate');
    let served = 0;
    const bomb = trigger('bomb', {});
    await waitUntil(async () => {
      served += (await app.request('GET', '/healthz')).status === 200 ? 1 : 0;
      return served > 5 || new Error('not served');
    });
    const { status, body } = await bomb;
    expect([status, body.error.message]).toEqual([422, expect.stringContaining('it took too long')]);
  });
});

test('a simulation that takes long is stopped, and others are served meanwhile', async () => {
  const call = (path: string, body: object) => app.request('POST', `/v1/workflows${path}`, { body });
  await call('', { key: 'sim_heavy', name: 'Heavy' });
  const loops = '{% for i in trigger.l %}{% for j in trigger.l %}{{ i | times: j }}{% endfor %}{% endfor %}';
  const steps = [
    { id: 'nap', kind: 'delay', duration: '1s' },
    {
      id: 'mail',
      kind: 'send',
      channel: 'sms',
      recipient: { address: 'x' },
      text_body: loops,
      next: 'nap',
    },
  ];
  await call('/sim_heavy/versions', { body: { steps } });
  const trigger_data = { l: Array.from({ length: 130 }, (_, index) => index) };
  let isDone = false;
  const simulated = call('/sim_heavy/versions/1/simulate', { trigger_data }).finally(() => {
    isDone = true;
  });
  let others = 0;
  while (!isDone) {
    // Ten at once: how many turns the loop takes depends on the machine, how many get through in each does not. They need
    // nothing but the loop: a database that is busy with something else would hold them up as well.
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.request('GET', '/healthz')));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
    others += answers.length;
    await delay(50); // they are only to get through, not to compete
  }
  const { status, body } = await simulated;
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { error: { code: 'parameter_invalid', param: 'trigger_data' } },
  });
  // The first ten may come before the simulation has begun.
  expect(others).toBeGreaterThan(20);
}, 120_000);
