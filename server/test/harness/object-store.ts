import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

/** An S3 server that checks signatures, behind a listener that sees the requests and can answer for it. */
export interface TestObjectStore {
  /** The settings of a service that uses it. */
  settings: Record<string, string>;
  requests: { method: string; path: string; headers: IncomingHttpHeaders }[];
  /** The status to answer with instead of the server; null lets it answer. */
  answerWith: number | null;
  /** Answers wait for it. */
  answerAfter: Promise<void> | null;
  keys(): string[];
  read(key: string): Buffer;
  /** Replaces the bytes of an object behind the back of the service. */
  alter(key: string, bytes: Buffer): void;
  /** Loses an object, as a broken store would. */
  lose(key: string): void;
  stop(): Promise<void>;
}

const bucket = 'carillon-test';
const suffix = '._S3rver_object';

export async function startObjectStore(): Promise<TestObjectStore> {
  const directory = mkdtempSync(join(tmpdir(), 'carillon-s3-'));
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket }] });
  await s3.configureBuckets();
  const answer = s3.callback();
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    store.requests.push({ method, path, headers });
    await store.answerAfter;
    if (store.answerWith === null) {
      void answer(request, response);
      return;
    }
    request.resume();
    response.writeHead(store.answerWith).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pathOf = (key: string) => join(directory, bucket, `${key}${suffix}`);
  const store: TestObjectStore = {
    settings: {
      CARILLON_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      CARILLON_S3_BUCKET: bucket,
      CARILLON_S3_ACCESS_KEY_ID: 'S3RVER',
      CARILLON_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    requests: [],
    answerWith: null,
    answerAfter: null,
    keys: () =>
      readdirSync(join(directory, bucket), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(suffix))
        .map((name) => name.slice(0, -suffix.length))
        .sort(),
    read: (key) => readFileSync(pathOf(key)),
    alter: (key, bytes) => writeFileSync(pathOf(key), bytes),
    lose: (key) => rmSync(pathOf(key)),
    async stop() {
      server.closeAllConnections();
      server.close();
      s3.logger.exceptions.unhandle();
      s3.logger.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return store;
}
