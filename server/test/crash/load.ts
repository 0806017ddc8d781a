import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';

/** Callers as they should be: an Idempotency-Key on every send, and the same one until it is answered with success. */
export interface Load {
  /** Idempotency-Key (the load's name and a number) → id of the notification, for every request that was answered with success. */
  acknowledged: Map<string, string>;
  /** Answers that are neither success nor 503. */
  surprises: string[];
  /** How often a request had to be repeated. */
  repeats(): number;
  /** No new keys; resolves once every one that was tried has been acknowledged. */
  stop(): Promise<void>;
}

export interface Send {
  apiKey: string;
  body: object;
}

const callers = 8;
const repeatAfterMs = 50;
const answerWithinMs = 10_000;

/** Each caller rests between two sends: without it the machine would be busy with nothing else. */
export function startLoad(url: string, name: string, send: (number: number) => Send, restMs: number): Load {
  const acknowledged = new Map<string, string>();
  const surprises: string[] = [];
  let stopped = false;
  let count = 0;
  let repeats = 0;

  async function post(key: string, { apiKey, body }: Send): Promise<string | null> {
    const response = await request(`${url}/v1/notifications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await response.body.text();
    if (response.statusCode < 300) return (JSON.parse(text) as { id: string }).id;
    if (response.statusCode !== 503) surprises.push(`${response.statusCode} ${text}`);
    return null;
  }

  async function call(): Promise<void> {
    while (!stopped) {
      count += 1;
      const key = `${name}-${count}`;
      const content = send(count);
      for (;;) {
        const id = await post(key, content).catch(() => null); // the connection broke, or never came to be
        if (id !== null) {
          acknowledged.set(key, id);
          break;
        }
        repeats += 1;
        await delay(repeatAfterMs);
      }
      await delay(restMs);
    }
  }

  const calling = Promise.all(Array.from({ length: callers }, call));
  return {
    acknowledged,
    surprises,
    repeats: () => repeats,
    async stop() {
      stopped = true;
      await calling;
    },
  };
}
