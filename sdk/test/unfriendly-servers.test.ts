import { createServer, type RequestListener } from 'node:http';
import { ApiError, ConnectionError, createClient, RateLimitError, TimeoutError } from '@carillon/sdk';
import { afterEach, describe, expect, test } from 'vitest';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function serve(listener: RequestListener): Promise<{ url: string; stop(): Promise<unknown> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  stops.push(stop);
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, stop };
}

const quick = { max_retries: 2, retry_delay_ms: 1, api_key: 'crl_test_key' };
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error) => error,
  );
const rateLimited = JSON.stringify({
  error: { type: 'rate_limit_error', code: 'rate_limited', message: 'Slower.', param: null },
});

describe('a server', () => {
  test('that is down is said to be, after the retries', async () => {
    const { url, stop } = await serve(() => {});
    await stop();
    let attempts = 0;
    const client = createClient({
      ...quick,
      base_url: url,
      fetch: (input, init) => {
        attempts += 1;
        return fetch(input, init);
      },
    });
    const error = await failure(client.templates.create({ key: 'welcome', name: 'Welcome' }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: null, unsent: true });
    expect(error.message).toContain(`${url} could not be reached: ECONNREFUSED`);
    expect(attempts).toBe(3); // nothing was sent, so also this POST was tried again
  });

  test('that does not answer, or stops in the middle of an answer, runs into the timeout', async () => {
    for (const listener of [
      () => {},
      ((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"id":');
      }) as RequestListener,
    ]) {
      const { url } = await serve(listener);
      const client = createClient({ ...quick, base_url: url, timeout_ms: 50, max_retries: 0 });
      const error = await failure(client.me());
      expect(error).toBeInstanceOf(TimeoutError);
      expect(error).toMatchObject({ code: 'timeout', name: 'TimeoutError' });
    }
  });

  test('that does not answer, or breaks off each time, keeps nobody who waits for a run longer than wanted', async () => {
    const listeners: RequestListener[] = [() => {}, (_request, response) => response.destroy()];
    for (const listener of listeners) {
      const { url } = await serve(listener);
      const client = createClient({ base_url: url, api_key: null });
      const error = await failure(client.runs.waitForCompletion('r1', { timeout_ms: 300 }));
      expect(error).toBeInstanceOf(TimeoutError);
      expect(error.message).toBe('Run r1 is still unknown after 300 ms.');
    }
  });

  test('that takes its time is waited for as long as wanted, also without a limit', async () => {
    const { url } = await serve((_request, response) => {
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'), 50);
    });
    for (const timeout_ms of [Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 31 - 1]) {
      const client = createClient({ ...quick, base_url: url, timeout_ms, max_retries: 0 });
      expect(await client.me()).toEqual({});
      expect(await createClient({ ...quick, base_url: url }).me({ timeout_ms, max_retries: 0 })).toEqual({});
    }
  });

  test('that answers with a page is not taken for Carillon', async () => {
    for (const status of [200, 404, 502]) {
      const { url } = await serve((_request, response) => {
        response.writeHead(status, { 'content-type': 'text/html' });
        response.end('<!doctype html>\n<title>Sign in</title>');
      });
      const error = await failure(createClient({ ...quick, base_url: url }).me());
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status, code: 'unexpected_response' });
      expect(error.message).toContain('text/html, beginning with “<!doctype html> <title>Sign in</title>”');
      expect(error.message).toContain(url);
    }
  });

  test('that answers with broken JSON, other JSON or nothing is not either', async () => {
    for (const [status, body] of [
      [200, '{"id"'],
      [200, ''],
      [500, '{"error": "boom"}'],
      [500, '[]'],
      [400, 'null'],
    ] as const) {
      const { url } = await serve((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(body);
      });
      const error = await failure(createClient({ ...quick, base_url: url }).me());
      expect(error).toMatchObject({ status, code: 'unexpected_response' });
    }
  });

  test('that sends elsewhere is not followed with a key', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(301, { location: 'https://elsewhere.test/v1/me' }).end();
    });
    const error = await failure(createClient({ ...quick, base_url: url }).me());
    expect(error.message).toContain('a redirect to https://elsewhere.test/v1/me');
  });

  test('that asks to wait is waited for, and not longer than a call may take', async () => {
    const asked = ['0', '3600'];
    const { url } = await serve((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': asked.shift() ?? '0' });
      response.end(rateLimited);
    });
    const error = await failure(createClient({ ...quick, max_retries: 5, base_url: url }).me());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retry_after_ms: 3_600_000 });
    expect(asked).toEqual([]);
  });

  test('that recovers is asked until it does, with the same key and the same body', async () => {
    const seen: string[] = [];
    const { url } = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push(`${request.headers['idempotency-key']} ${body}`);
      if (seen.length < 3) return void response.destroy();
      response.writeHead(202, { 'content-type': 'application/json' }).end('{"id": "n1"}');
    });
    const client = createClient({ ...quick, base_url: url, user_agent: 'shop/2.0' });
    expect(
      await client.notifications.send({ channel: 'webhook', recipient: { address: 'http://a.test' } }),
    ).toEqual({ id: 'n1' });
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
  });
});

describe('a call', () => {
  test('ends with its signal: before, during, and between attempts', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '30' }).end('{}');
    });
    const silent = await serve(() => {});
    await expect(
      createClient({ ...quick, base_url: url }).me({ signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before');
    for (const base_url of [url, silent.url]) {
      const abort = new AbortController();
      const client = createClient({
        ...quick,
        base_url,
        fetch: async (input, init) => {
          const answer = fetch(input, init);
          if (base_url === url) await answer;
          setTimeout(() => abort.abort(new Error('meanwhile')));
          return answer;
        },
      });
      await expect(client.me({ signal: abort.signal })).rejects.toThrow('meanwhile');
    }
  });

  test('introduces itself', async () => {
    const agents: unknown[] = [];
    const { url } = await serve((request, response) => {
      agents.push(request.headers['user-agent']);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await createClient({ ...quick, base_url: url }).me();
    await createClient({ ...quick, base_url: url, user_agent: 'shop/2.0' }).me();
    await createClient({ ...quick, base_url: url, headers: { 'User-Agent': 'mine' } }).me();
    expect(agents).toEqual([
      expect.stringMatching(/^carillon-sdk\/\d/),
      expect.stringMatching(/^shop\/2\.0 carillon-sdk\/\d/),
      'mine',
    ]);
  });
});
