import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Http2Simulator, startHttp2Simulator } from '../../test/simulators/http2-simulator.ts';
import { localhostCertificate, localhostKey } from '../../test/simulators/localhost-certificate.ts';
import { createHttp2Client, type Http2Call, type Http2Client, type Http2Options } from './http2.ts';

let simulator: Http2Simulator;
let client: Http2Client;
const handled: string[] = [];
/** Calls are answered when it is settled. */
let held: Promise<void> | null = null;

beforeAll(async () => {
  simulator = await startHttp2Simulator({
    async handle({ path, text }) {
      handled.push(path);
      await held;
      return { status: 200, body: { path, text } };
    },
  });
});
afterAll(() => simulator.stop());
afterEach(() => client.stop());

const start = (options: Partial<Http2Options> = {}): void => {
  handled.length = 0;
  simulator.faults.length = 0;
  simulator.fault = null;
  client = createHttp2Client({ policy: 'loopback', ...options });
};
const call = (changes: Partial<Http2Call> = {}): Http2Call => ({
  origin: simulator.url,
  path: '/one',
  headers: {},
  body: 'hello',
  account: 'a',
  timeoutMs: 5_000,
  maxBytes: 1_000,
  ...changes,
});
const many = (count: number, changes: Partial<Http2Call> = {}) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => client.post(call({ path: `/${index}`, ...changes }))),
  );

describe('HTTP/2 calls', () => {
  it('of one account share a session, those of another do not', async () => {
    start();
    const before = simulator.sessions();
    const answers = await many(200);
    expect(answers.every((answer) => answer.kind === 'answer' && answer.status === 200)).toBe(true);
    expect(simulator.sessions() - before).toBe(1);
    await client.post(call({ account: 'b' }));
    expect(simulator.sessions() - before).toBe(2);
  });

  it.each(['goaway', 'refuse', 'drop'] as const)(
    'of a burst that meets "%s" are each made once, as far as the protocol can know',
    async (fault) => {
      start();
      simulator.faults.push(...Array.from({ length: 20 }, () => ({ status: 200 })), fault);
      const answers = await many(100);
      const answered = answers.filter((answer) => answer.kind === 'answer');
      const lost = answers.filter((answer) => answer.kind === 'failure');
      // After a break of the connection, it is unknown which calls were begun.
      if (fault === 'drop') expect(new Set(lost.map(({ failure }) => failure))).toEqual(new Set(['closed']));
      else expect(lost).toEqual([]);
      expect(handled.length).toBe(new Set(handled).size);
      expect(answered.length + lost.length).toBe(100);
      expect(await client.post(call())).toMatchObject({ kind: 'answer', status: 200 });
    },
  );

  it('of more accounts than sessions close the session that was used longest ago, once its calls are answered', async () => {
    start({ maxSessions: 2 });
    await expect.poll(() => simulator.openSessions()).toBe(0); // those of the other tests
    let answer = (): void => {};
    held = new Promise((resolve) => {
      answer = resolve;
    });
    const slow = many(5, { account: 'slow' });
    await expect.poll(() => handled.length).toBe(5);
    held = null;
    for (const account of ['b', 'c', 'd']) await client.post(call({ account }));
    await expect.poll(() => simulator.openSessions()).toBe(3);
    answer();
    expect((await slow).map(({ status }) => status)).toEqual(Array(5).fill(200));
    await expect.poll(() => simulator.openSessions()).toBe(2);
  });

  it('between two sessions lose nothing when the server announces its end', async () => {
    start();
    const before = simulator.sessions();
    const first = many(50);
    simulator.goaway();
    const second = many(50);
    const answers = [...(await first), ...(await second)];
    simulator.goaway();
    answers.push(...(await many(50)));
    expect(answers.filter((answer) => answer.kind === 'failure')).toEqual([]);
    expect(simulator.sessions() - before).toBeGreaterThan(1);
  });

  it('end at their deadline, and a silent connection is not used again', async () => {
    start();
    const before = simulator.sessions();
    simulator.faults.push('hang');
    expect(await client.post(call({ timeoutMs: 100 }))).toMatchObject({
      kind: 'failure',
      failure: 'timeout',
    });
    expect(await client.post(call())).toMatchObject({ kind: 'answer' });
    expect(simulator.sessions() - before).toBe(2);
  });

  it('stop with their signal', async () => {
    start();
    simulator.faults.push('hang');
    const stopping = new AbortController();
    const answer = client.post(call({ signal: stopping.signal }));
    stopping.abort();
    expect(await answer).toMatchObject({ kind: 'failure', failure: 'stopped' });
  });

  it('go only to addresses that the network policy allows', async () => {
    start();
    const strict = createHttp2Client({ policy: 'none' });
    for (const origin of [simulator.url, `http://localhost:${simulator.port}`])
      expect(await strict.post(call({ origin }))).toMatchObject({ kind: 'failure', failure: 'blocked' });
    await strict.stop();
    expect(handled).toEqual([]);
  });

  it('fail when nothing listens', async () => {
    start();
    expect(await client.post(call({ origin: 'http://127.0.0.1:1' }))).toMatchObject({
      kind: 'failure',
      failure: 'connect',
      reached: false,
    });
  });

  it('verify the certificate', async () => {
    start();
    const server = createSecureServer({ key: localhostKey, cert: localhostCertificate });
    server.on('stream', (stream) => {
      stream.respond({ ':status': 204 });
      stream.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
    const trusting = createHttp2Client({ policy: 'loopback', ca: localhostCertificate });
    expect(await client.post(call({ origin }))).toMatchObject({ kind: 'failure', failure: 'tls' });
    expect(await trusting.post(call({ origin }))).toMatchObject({ kind: 'answer', status: 204 });
    await trusting.stop();
    server.close();
  });
});
