import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request as undiciRequest } from 'undici';
import { type Gateway, startGateway } from './gateway.ts';
import type { Operation, Question, Started } from './service.ts';
import type { Json } from './values.ts';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the wire holds
  body: any;
}

export interface Credentials {
  key?: string;
  cookie?: string;
  /** Of a body that is given as bytes. */
  contentType?: string;
  /** Of a visitor of a page. */
  language?: string;
  headers?: Record<string, string>;
}

/** A running service, and how long the turns of its event loop were. */
export interface FuzzTarget {
  operations: Operation[];
  /** The keys of the two environments; requests are made with that of Test unless told. */
  testKey: string;
  liveKey: string;
  smtpPort: number;
  /** Reachable for the service: what it calls in Live. */
  gateway: Gateway;
  request(method: string, path: string, body?: Json | Buffer, credentials?: Credentials): Promise<Answer>;
  /** The cookie of the first person. */
  signIn(): Promise<string>;
  /** The longest turn since this was last asked, in milliseconds of processor time. */
  longestBlock(): Promise<number>;
  /** How many times as long as on the machine of the benchmarks its computations take. */
  cpuFactor(): Promise<number>;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const testKey = 'crl_test_fuzzfuzzfuzzfuzzfuzzfuzz';
const liveKey = 'crl_live_fuzzfuzzfuzzfuzzfuzzfuzz';
const email = 'owner@example.com';
const password = 'correct horse battery';
/** Of `npm start`, and what runs TypeScript. */
const execArgv = [
  '--max-semi-space-size=64',
  '--no-allocation-site-pretenuring',
  '--conditions=carillon-source',
  '--import',
  join(root, 'scripts/typescript.mjs'),
];
/** An answer that takes longer than this by the clock is not waited for: its turns are counted all the same. */
const patienceMs = 60_000;

/** The service in a process of its own: what this one does to make inputs is not measured. */
export async function startTarget(databaseUrl: string): Promise<FuzzTarget> {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-fuzz-'));
  const child: ChildProcess = fork(fileURLToPath(new URL('service.ts', import.meta.url)), [], {
    execArgv,
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      CARILLON_DATA_DIR: dataDir,
      CARILLON_BOOTSTRAP_TEST_KEY: testKey,
      CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
      CARILLON_ADMIN_EMAIL: email,
      CARILLON_ADMIN_PASSWORD: password,
      CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback',
      CARILLON_WEB_PUSH_HOSTS: '127.0.0.1',
      CARILLON_SMTP_PORT: '0',
      CARILLON_END_USER_RATE_LIMIT: '100000',
      CARILLON_RETRY_SCALE: '0.001',
      CARILLON_BRAKE_RECIPIENT_LIMIT: '0',
      CARILLON_STORAGE_QUOTA_MB: '0',
      LOG_LEVEL: 'fatal',
    },
  });
  const gone = once(child, 'exit').then(([code, signal]): never => {
    throw new Error(`the service ended (${signal ?? code})`);
  });
  gone.catch(() => {});
  const said = async <Message>(): Promise<Message> =>
    (await Promise.race([once(child, 'message'), gone]))[0] as Message;
  const { url, smtpPort, operations } = await said<Started>();
  const answerTo = (question: Question): Promise<number> => {
    const answer = said<number>();
    child.send(question);
    return answer;
  };
  const dispatcher = new Agent({ headersTimeout: patienceMs, bodyTimeout: patienceMs });
  const gateway = await startGateway();

  return {
    operations,
    testKey,
    liveKey,
    smtpPort,
    gateway,
    async signIn() {
      const response = await undiciRequest(`${url}/auth/login`, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      await response.body.dump();
      return String([response.headers['set-cookie']].flat()[0]).split(';', 1)[0] ?? '';
    },
    async request(method, path, body, { key = testKey, cookie, contentType, language, headers } = {}) {
      const isRaw = Buffer.isBuffer(body);
      const response = await undiciRequest(url + path, {
        dispatcher,
        method: method as 'GET',
        headers: {
          ...(cookie ? { cookie, 'x-carillon-csrf': '1' } : { authorization: `Bearer ${key}` }),
          ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
          ...(contentType ? { 'content-type': contentType } : {}),
          ...(language ? { 'accept-language': language } : {}),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
      });
      const text = await response.body.text();
      const isJson = String(response.headers['content-type']).startsWith('application/json');
      return { status: response.statusCode, body: isJson && text ? JSON.parse(text) : text };
    },
    longestBlock: () => answerTo('longest block'),
    cpuFactor: () => answerTo('cpuFactor'),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.disconnect();
        await gone.catch(() => {});
      }
      await Promise.all([dispatcher.close(), gateway.stop()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Asks until it is so, or until it has taken too long; says whether it was. */
export async function until(isSo: () => Promise<boolean>, forMs = 5_000): Promise<boolean> {
  for (const end = Date.now() + forMs; Date.now() < end; await pause(5)) if (await isSo()) return true;
  return false;
}
