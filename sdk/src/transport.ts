import { readAnswer, unexpected } from './answer.ts';
import { CarillonError, ConnectionError, invalid, TimeoutError } from './errors.ts';
import { delayMs, isAmbiguous, mayRetry } from './retry.ts';

export type Fetch = typeof globalThis.fetch;

export interface TransportOptions {
  /** Where the service is; a path in it is kept. Defaults to CARILLON_URL (clients with a key), then `http://127.0.0.1:8400`. */
  base_url?: string | undefined;
  /** Used instead of the global `fetch`: for proxies, tests, other runtimes. */
  fetch?: Fetch | undefined;
  /** For one attempt, answer included. Default: 30,000; Infinity: no limit but that of the runtime. */
  timeout_ms?: number | undefined;
  /** How often a failed request is made again, where that can do no harm. Default: 4; 0: never. */
  max_retries?: number | undefined;
  /** The first wait between two attempts; it doubles. Default: 500. */
  retry_delay_ms?: number | undefined;
  /** Sent with every request. */
  headers?: Record<string, string> | undefined;
}

/** The last argument of every method. */
export interface RequestOptions {
  /** Ends the call, with all its retries. */
  signal?: AbortSignal | undefined;
  timeout_ms?: number | undefined;
  max_retries?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** In a page: the browser finishes the request when the page is closed. Its body may have 64 KiB. */
  keepalive?: boolean | undefined;
}

/** For what must not happen twice: the key is made by itself, and is the same in every retry. */
export interface KeyedOptions extends RequestOptions {
  /** Name one yourself when *your* program may make the call again, after a crash for example. Good for 24 hours. */
  idempotency_key?: string | undefined;
}

/** For what several people may edit at once. */
export interface GuardedOptions extends RequestOptions {
  /** The version that the change was made to. When it is not the current one, nothing is written: `version_conflict`. */
  if_match?: number | undefined;
}

/** Who is calling. */
export interface Credentials {
  get(): Promise<string | null>;
  /** Called once when the service refused `stale`. */
  renew?(stale: string | null): Promise<void>;
}

export interface Request {
  method: string;
  /** With the query. */
  path: string;
  body?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** Making it twice does no more than making it once. */
  repeatable: boolean;
  text?: boolean | undefined;
  keepalive?: boolean | undefined;
}

export interface Transport {
  send(request: Request, options?: RequestOptions): Promise<unknown>;
  /** One attempt, whose answer is left to the caller: for streams. */
  open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
}

export function createTransport(options: TransportOptions, credentials: Credentials): Transport {
  const base = baseUrl(options.base_url ?? 'http://127.0.0.1:8400');
  const commonHeaders = checkedHeaders(options.headers);
  const commonTimeoutMs = checkedNumber(options.timeout_ms ?? 30_000, 'timeout_ms', 1);
  const commonRetries = checkedNumber(options.max_retries ?? 4, 'max_retries', 0);
  const retryDelayMs = checkedNumber(options.retry_delay_ms ?? 500, 'retry_delay_ms', 0);
  // Called as a plain function: browsers refuse a `fetch` that is called as a method of something else.
  const callFetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));

  async function request(
    { method, path, body, headers, keepalive }: Omit<Request, 'repeatable'>,
    token: string | null,
    signal: AbortSignal,
  ): Promise<Response> {
    const response = await callFetch(base + path, {
      method,
      headers: merged(
        { accept: 'application/json' },
        body === undefined ? {} : { 'content-type': 'application/json' },
        commonHeaders,
        token === null ? {} : { authorization: `Bearer ${token}` },
        headers,
      ),
      ...(body === undefined ? {} : { body }),
      ...(keepalive ? { keepalive } : {}),
      redirect: 'manual',
      signal,
    });
    // The API never redirects, and following one would turn a POST into a GET.
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      throw unexpected(response, '');
    }
    return response;
  }

  function attempt(wanted: Request, token: string | null, timeoutMs: number, given?: AbortSignal) {
    const late = () => new TimeoutError(`No response from ${base} within ${timeoutMs} ms.`);
    return within(timeoutMs, late, given, async (signal) => {
      try {
        return await readAnswer(await request(wanted, token, signal), wanted.text ?? false);
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof CarillonError ? error : connectionError(base, error);
      }
    });
  }

  return {
    async send(wanted, { signal, timeout_ms, max_retries, headers, keepalive } = {}) {
      const timeoutMs = checkedNumber(timeout_ms ?? commonTimeoutMs, 'timeout_ms', 1);
      const retries = checkedNumber(max_retries ?? commonRetries, 'max_retries', 0);
      const complete = { ...wanted, headers: checkedHeaders({ ...wanted.headers, ...headers }), keepalive };
      let renewed = false;
      let maybeDone = false;
      for (let retry = 0; ; ) {
        signal?.throwIfAborted();
        const token = await credentials.get();
        try {
          return await attempt(complete, token, timeoutMs, signal);
        } catch (error) {
          if (!(error instanceof CarillonError)) throw error;
          if (error.status === 401 && credentials.renew && !renewed) {
            renewed = true;
            await credentials.renew(token);
            continue;
          }
          // An attempt whose answer was lost has deleted it: what was asked for is so.
          if (error.status === 404 && wanted.method === 'DELETE' && maybeDone) return undefined;
          if (retry >= retries || !mayRetry(error, wanted.repeatable)) throw error;
          maybeDone ||= isAmbiguous(error);
          await pause(delayMs(retry, retryDelayMs, error.retry_after_ms, Math.random()), signal);
          retry += 1;
        }
      }
    },
    async open(path, headers, signal) {
      const token = await credentials.get();
      try {
        return await request({ method: 'GET', path, headers }, token, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof CarillonError ? error : connectionError(base, error);
      }
    },
  };
}

/** The later one wins, whatever the case of its letters; plain objects would send both. */
function merged(...all: (Record<string, string> | undefined)[]): Headers {
  const headers = new Headers();
  for (const [name, value] of all.flatMap((each) => Object.entries(each ?? {}))) headers.set(name, value);
  return headers;
}

/** Options that travel as headers: an error names the option. */
const fromOptions = ['idempotency-key', 'if-match', 'user-agent'];

/** Checked before the first attempt: what `fetch` throws for a bad one looks like a lost connection, and is tried again. */
function checkedHeaders(given: Record<string, string> = {}): Record<string, string> {
  for (const [name, value] of Object.entries(given)) {
    if (isHeader(name, value)) continue;
    const param = fromOptions.includes(name) ? name.replace('-', '_') : name;
    throw invalid(`${param} must be a string that is valid in a header.`, param);
  }
  return given;
}

function isHeader(name: string, value: string): boolean {
  try {
    // `Headers` lets control characters pass that Node then refuses to send.
    return /^[\t\x20-\x7e\x80-\xff]*$/.test(new Headers([[name, value]]).get(name) ?? '');
  } catch {
    return false;
  }
}

/** What a timer can hold, some 25 days. Given more, it goes off at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits; the signal ends it early with its reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const done = () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, longestTimerMs));
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Gives the work a signal that ends it with the caller's, or with what `late` makes when its time is over. */
export async function within<Result>(
  ms: number,
  late: () => TimeoutError,
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const stop = () => end.abort(given?.reason);
  const timer = ms > longestTimerMs ? undefined : setTimeout(() => end.abort(late()), ms);
  given?.addEventListener('abort', stop, { once: true });
  try {
    given?.throwIfAborted();
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', stop);
  }
}

/** NaN, as `Number` makes of a variable that is not set, would be a limit that is never reached. */
export function checkedNumber(value: number, param: string, least: number): number {
  if (typeof value === 'number' && value >= least) return value;
  throw invalid(`${param} must be a number, at least ${least}.`, param);
}

/** Checked here because `fetch` would repeat a bad one, secret and all, in its error. */
export function checkedSecret(secret: string, param: string): string {
  const trimmed = typeof secret === 'string' ? secret.trim() : '';
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw invalid(`${param} must be printable ASCII without spaces.`, param);
  }
  return trimmed;
}

function baseUrl(given: string): string {
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  let url: URL;
  try {
    url = new URL(given, page);
  } catch {
    throw invalid('base_url must be a URL, for example https://carillon.example.com.', 'base_url');
  }
  if (!/^https?:$/.test(url.protocol)) throw invalid('base_url must be http or https.', 'base_url');
  if (url.username || url.password || url.search || url.hash) {
    throw invalid('base_url must not have credentials, a query or a fragment.', 'base_url');
  }
  return url.href.replace(/\/+$/, '');
}

const neverConnected = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Browsers do not tell why; then it may have arrived. */
function connectionError(base: string, error: unknown): ConnectionError {
  const { cause, message } = error as { cause?: { code?: unknown; syscall?: unknown }; message?: unknown };
  const code = typeof cause?.code === 'string' ? cause.code : null;
  const unsent = cause?.syscall === 'connect' || (code !== null && neverConnected.includes(code));
  return new ConnectionError(`${base} could not be reached: ${code ?? String(message)}.`, unsent, error);
}
