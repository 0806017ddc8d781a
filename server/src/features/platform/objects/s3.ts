import { createHash } from 'node:crypto';
import { type AwsRequest, signAws } from '../../../channels/aws.ts';
import type { Outbound, OutboundAnswer } from '../../../channels/http.ts';
import type { Config, S3Settings } from '../../../config.ts';
import type { Pool } from '../../../db/sql.ts';
import { type Clock, steadyClock } from '../../../kernel/clock.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Metrics } from '../../../kernel/metrics.ts';
import { type ObjectReference, type ObjectStore, ObjectStoreError } from '../../../kernel/object-store.ts';
import { hasObjects } from './store.ts';

/** For the call and its repetition together: the caller of an API request waits for an upload. */
const callDeadlineMs = 15_000;
const errorBytes = 4_096;
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface S3Deps {
  outbound: Pick<Outbound, 'request'>;
  clock: Clock;
  metrics: Pick<Metrics, 'objectStoreCalls'>;
  /** Shorter for tests. */
  deadlineMs?: number;
}

/** Objects in a bucket of any S3-compatible store. */
export function createS3Store(
  settings: S3Settings,
  { outbound, clock, metrics, deadlineMs = callDeadlineMs }: S3Deps,
): ObjectStore {
  const { region, accessKeyId, secretAccessKey } = settings;
  const account = { service: 's3' as const, region, accessKeyId, secretAccessKey };
  const root = rootOf(settings);
  /** While the store is silent one call at a time tries it: others would hold claims and callers for the whole deadline. */
  let isSilent = false;
  let isTried = false;

  async function unlessSilent<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!isSilent) return work();
    if (isTried) throw new ObjectStoreError('unavailable', 'The object store does not respond.');
    isTried = true;
    try {
      return await work();
    } finally {
      isTried = false;
    }
  }

  async function call(
    operation: 'put' | 'get' | 'delete',
    key: string,
    request: Pick<AwsRequest, 'method' | 'headers'> & { payloadSha256: string },
    { body, maxBytes = errorBytes }: { body?: Buffer; maxBytes?: number } = {},
  ): Promise<OutboundAnswer> {
    const url = new URL(`${root}/${key}`);
    const startedAt = steadyClock();
    for (let attempt = 1; ; attempt += 1) {
      const timeoutMs = Math.max(1, deadlineMs - (steadyClock() - startedAt));
      const result = await outbound.request({
        method: request.method,
        url: url.href,
        headers: signAws(account, { ...request, url }, clock()),
        ...(body && { body }),
        timeoutMs,
        maxBytes,
      });
      const error = failureOf(result);
      isSilent = result.kind === 'failure' && result.failure === 'timeout';
      metrics.objectStoreCalls.inc({ operation, outcome: error?.failure ?? 'done' });
      if (!error && result.kind === 'answer') return result;
      const isOver = attempt === 2 || isSilent;
      if (error && (isOver || error.failure !== 'unavailable')) throw error;
    }
  }

  return {
    async put({ key, sha256 }, bytes) {
      const headers = { 'Content-Type': 'application/octet-stream', ...encryptionHeaders(settings) };
      const request = { method: 'PUT', headers, payloadSha256: sha256 } as const;
      await unlessSilent(() => call('put', key, request, { body: bytes }));
    },

    async get({ key, sizeBytes, sha256 }) {
      const request = { method: 'GET', payloadSha256: emptySha256 } as const;
      // One byte more than expected shows that an object is too long; an error has a body too.
      const maxBytes = Math.max(sizeBytes + 1, errorBytes);
      const { body } = await unlessSilent(() => call('get', key, request, { maxBytes }));
      if (body.length !== sizeBytes || (await sha256Of(body)) !== sha256)
        throw new ObjectStoreError(
          'altered',
          'The object is not the one that was stored: its SHA-256 differs.',
        );
      return body;
    },

    async delete(key) {
      try {
        await unlessSilent(() => call('delete', key, { method: 'DELETE', payloadSha256: emptySha256 }));
      } catch (error) {
        if (!(error instanceof ObjectStoreError) || error.failure !== 'missing') throw error;
      }
    },
  };
}

/** The URL of the bucket, without a trailing slash. */
function rootOf({ endpoint, region, bucket, forcePathStyle }: S3Settings): string {
  const base = endpoint ?? `https://s3.${region}.amazonaws.com`;
  if (forcePathStyle) return `${base}/${bucket}`;
  const url = new URL(base);
  url.hostname = `${bucket}.${url.hostname}`;
  return url.href.replace(/\/$/, '');
}

function encryptionHeaders({ encryption }: S3Settings): Record<string, string> {
  if (!encryption) return {};
  return {
    'x-amz-server-side-encryption': encryption.algorithm,
    ...(encryption.keyId && { 'x-amz-server-side-encryption-aws-kms-key-id': encryption.keyId }),
  };
}

/** Returns null when the call succeeded. Only the code of the answer is used: its text may contain the access key id. */
function failureOf(result: Awaited<ReturnType<Outbound['request']>>): ObjectStoreError | null {
  if (result.kind === 'failure') return new ObjectStoreError('unavailable', result.detail);
  const { status, body } = result;
  if (status >= 200 && status < 300) return null;
  const code = /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(body.subarray(0, errorBytes).toString())?.[1];
  const answer = `${status}${code ? ` ${code}` : ''}`;
  if (status === 404 && code !== 'NoSuchBucket')
    return new ObjectStoreError('missing', `The object does not exist (${answer}).`);
  if (status >= 500 || status === 429 || status === 408)
    return new ObjectStoreError('unavailable', `The object store answered ${answer}.`);
  return new ObjectStoreError('refused', `The object store refused the call: ${answer}.`);
}

/** Writes, reads and deletes an object, so that wrong settings stop the start instead of the first attachment. */
async function probe(store: ObjectStore, key: string): Promise<void> {
  const bytes = Buffer.from('Carillon can write, read and delete objects.');
  const object: ObjectReference = { key, sizeBytes: bytes.length, sha256: await sha256Of(bytes) };
  await store.put(object, bytes);
  await store.get(object);
  await store.delete(key);
}

const pieceBytes = 1_048_576;

/** The SHA-256 in hex. 15 MB take up to 50 ms, so they are hashed in pieces, with other work in between. */
export async function sha256Of(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (bytes.length > pieceBytes) while (shouldYield()) await yieldToEventLoop();
    hash.update(bytes.subarray(at, at + pieceBytes));
  }
  return hash.digest('hex');
}

interface StartDeps {
  config: Config;
  pool: Pool;
  /** May reach every address: the operator has chosen the endpoint. */
  outbound: Outbound;
  clock: Clock;
  metrics: Metrics;
  log: Log;
}

/**
 * Returns null without settings. Wrong settings stop the start; a store that is down does not, because most notifications do
 * not need it.
 */
export async function openObjectStore(deps: StartDeps): Promise<ObjectStore | null> {
  const { config, log } = deps;
  const settings = config.objectStore;
  if (!settings) {
    if (await hasObjects(deps.pool))
      log.warn('attachments or bodies are in an object store, and this process has no settings for it');
    return null;
  }
  const store = createS3Store(settings, deps);
  try {
    await probe(store, `${config.CARILLON_S3_PREFIX}probe/${newId()}`);
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    if (error.failure !== 'unavailable')
      throw new Error(
        `The object store in CARILLON_S3_BUCKET cannot be used: an object could not be written, read and deleted. ${error.message}`,
      );
    log.warn(
      { err: error },
      'the object store does not answer; sends with attachments are refused until it does',
    );
  }
  return store;
}
