import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startWebhookSink } from '../simulators/webhook-sink.ts';
import { type Fleet, startFleet, testKey } from './fleet.ts';
import { storm } from './storm.ts';

const callers = 6;
const answerWithinMs = 10_000;

/** Every kind of step that does something or waits for something. */
const stepsOf = (sinkUrl: string): object[] => [
  mail('first'),
  { id: 'nap', kind: 'delay', duration: 'PT0.2S' },
  { id: 'call', kind: 'fetch', method: 'POST', url: sinkUrl, body: { n: '{{ trigger.n }}' } },
  {
    id: 'wait',
    kind: 'wait_for_event',
    event: 'go',
    match: { n: '{{ trigger.n }}' },
    lookback: true,
    timeout: '1d',
  },
  { id: 'collect', kind: 'digest', key: '{{ trigger.group }}', window: 'PT0.5S', max_items: 5 },
  mail('last'),
];

function mail(id: string): object {
  const recipient = { address: 'ada@example.com' };
  return { id, kind: 'send', channel: 'email', recipient, subject: id, text_body: 'It rings.' };
}

/** As a caller should: the same request until it is answered with success. */
async function insist<Answer>(fleet: Fleet, path: string, body?: object, key?: string): Promise<Answer> {
  for (;;) {
    try {
      const response = await fetch(`${fleet.api.url}/v1/workflows${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${testKey}`,
          'content-type': 'application/json',
          ...(key ? { 'idempotency-key': key } : {}),
        },
        body: JSON.stringify(body ?? {}),
        signal: AbortSignal.timeout(answerWithinMs),
      });
      const text = await response.text();
      if (response.ok || response.status === 409) return JSON.parse(text) as Answer;
      if (response.status !== 503) throw new Error(`${path}: ${response.status} ${text}`);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith(path)) throw error;
    }
    await delay(50);
  }
}

interface RunRow {
  [column: string]: unknown;
  id: string;
  status: string;
  failure_reason: string | null;
  shape: string[];
}

test('kill -9 of API, workers and database: every run ends, each of its steps once, and no item of a digest is lost', {
  timeout: 240_000,
}, async () => {
  const sink = await startWebhookSink();
  // Slow enough that every killed worker leaves calls behind whose answer it did not learn.
  sink.reply = () => (response) => setTimeout(() => response.writeHead(204).end(), 20);
  const fleet = await startFleet();
  try {
    await insist(fleet, '', { key: 'storm', name: 'Storm' });
    await insist(fleet, '/storm/versions', { body: { steps: stepsOf(sink.url('/call')) } });
    await insist(fleet, '/storm/versions/1/activate');

    const runs = new Map<number, string>();
    let stopped = false;
    let count = 0;
    const call = async (): Promise<void> => {
      while (!stopped) {
        count += 1;
        const n = count;
        const body = { trigger_data: { n, group: n % 4 } };
        const { run_id } = await insist<{ run_id: string }>(fleet, '/storm/trigger', body, `run-${n}`);
        runs.set(n, run_id);
        await insist(fleet, '/storm/events', { event_name: 'go', event_data: { n } });
        await delay(150); // or the machine would be busy with nothing else
      }
    };
    const calling = Promise.all(Array.from({ length: callers }, call));
    const stop = () => {
      stopped = true;
      return calling;
    };
    await storm(fleet, { kills: 6, pauseMs: () => 1_500, afterKills: stop });

    const ended = await ends(fleet, 90_000);
    expect(ended.map(({ id }) => id).sort()).toEqual([...runs.values()].sort());
    const alike = ['first:sent', 'nap:delayed', 'call:fetched', 'wait:event_received', 'collect:digested'];
    const odd = ended.filter(
      ({ status, shape }) =>
        status !== 'completed' || ![String(alike), String([...alike, 'last:sent'])].includes(String(shape)),
    );
    expect(odd).toEqual([]);

    const [sends] = await fleet.ask<{ steps: number; made: number; keys: number }>(
      `select (select count(*)::int from run_steps where kind = 'send') as steps,
         (select count(*)::int from notifications) as made,
         (select count(distinct idempotency_key)::int from notifications) as keys`,
    );
    expect(sends).toEqual({ steps: sends?.made, made: sends?.made, keys: sends?.made });
    const [digests] = await fleet.ask<{ items: number }>(
      `select sum((output ->> 'count')::int)::int as items from run_steps where step_id = 'collect' and output ->> 'count' is not null`,
    );
    expect(digests?.items).toBe(runs.size);
    const calls = new Set(sink.received.map(({ headers }) => headers['idempotency-key']));
    expect(calls.size).toBe(runs.size);
    expect(runs.size).toBeGreaterThan(100);
    expect(fleet.unexpectedEnds()).toEqual([]);
  } finally {
    await fleet.stop();
    await sink.stop();
  }
});

async function ends(fleet: Fleet, deadlineMs: number): Promise<RunRow[]> {
  for (const deadline = Date.now() + deadlineMs; Date.now() < deadline; await delay(200)) {
    const [row] = await fleet.ask<{ open: number }>(
      `select count(*)::int as open from runs where status not in ('completed', 'failed', 'cancelled')`,
    );
    if (row?.open === 0) break;
  }
  return fleet.ask<RunRow>(
    `select r.id, r.status, r.failure_reason,
       (select array_agg(s.step_id || ':' || coalesce(s.outcome, s.status) order by s.seq) from run_steps s where s.run_id = r.id) as shape
     from runs r`,
  );
}
