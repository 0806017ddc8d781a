import { setTimeout as delay } from 'node:timers/promises';
import { type Processes, testKey } from './processes.ts';
import { startSlowSink } from './slow-sink.ts';

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

interface RunRow {
  [column: string]: unknown;
  id: string;
  status: string;
  failure_reason: string | null;
  shape: string[];
}

/** Runs of a workflow with every kind of step, and the events that they wait for. */
export interface Runs {
  /** The number given to each trigger → the id of its run. */
  triggered: Map<number, string>;
  /** No new ones; resolves once every one that was tried has been acknowledged, and its event too. */
  stop(): Promise<unknown>;
  /** All of them, once they have come to an end. */
  ended(): Promise<RunRow[]>;
  /** The Idempotency-Keys with which steps called the sink. */
  calls(): Set<string | undefined>;
  close(): Promise<void>;
}

export async function startRuns(processes: Processes, restMs: number): Promise<Runs> {
  const sink = await startSlowSink();
  await insist(processes, '', { key: 'storm', name: 'Storm' });
  await insist(processes, '/storm/versions', { body: { steps: stepsOf(sink.url('/call')) } });
  await insist(processes, '/storm/versions/1/activate');

  const triggered = new Map<number, string>();
  let stopped = false;
  let count = 0;
  async function call(): Promise<void> {
    while (!stopped) {
      count += 1;
      const n = count;
      const body = { trigger_data: { n, group: n % 4 } };
      const { run_id } = await insist<{ run_id: string }>(processes, '/storm/trigger', body, `run-${n}`);
      triggered.set(n, run_id);
      await insist(processes, '/storm/events', { event_name: 'go', event_data: { n } });
      await delay(restMs);
    }
  }
  const calling = Promise.all(Array.from({ length: callers }, call));
  return {
    triggered,
    stop() {
      stopped = true;
      return calling;
    },
    ended: () => ends(processes, 90_000),
    calls: () => new Set(sink.received.map(({ headers }) => headers['idempotency-key'])),
    close: sink.stop,
  };
}

/** As a caller should: the same request until it is answered with success. */
async function insist<Answer>(
  processes: Processes,
  path: string,
  body?: object,
  key?: string,
): Promise<Answer> {
  for (;;) {
    try {
      const response = await fetch(`${processes.api.url}/v1/workflows${path}`, {
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

async function ends(processes: Processes, deadlineMs: number): Promise<RunRow[]> {
  for (const deadline = Date.now() + deadlineMs; Date.now() < deadline; await delay(200)) {
    const [row] = await processes.ask<{ open: number }>(
      `select count(*)::int as open from runs where status not in ('completed', 'failed', 'cancelled')`,
    );
    if (row?.open === 0) break;
  }
  return processes.ask<RunRow>(
    `select r.id, r.status, r.failure_reason,
       (select array_agg(s.step_id || ':' || coalesce(s.outcome, s.status) order by s.seq) from run_steps s where s.run_id = r.id) as shape
     from runs r`,
  );
}
