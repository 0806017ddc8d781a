import { setTimeout as delay } from 'node:timers/promises';
import { type Processes, testKey } from './processes.ts';
import { startSlowSink } from './slow-sink.ts';

/** One event on its way to the endpoint. */
interface Told {
  [column: string]: unknown;
  notification_id: string | null;
  type: string;
  event_id: string;
  status: string;
}

/** A webhook endpoint of the Test environment. */
export interface Endpoint {
  /** What the service says that it told, once nothing is on its way any more. */
  told(): Promise<Told[]>;
  /** The ids of the events that arrived. */
  arrived(): Set<string | undefined>;
  close(): Promise<void>;
}

export async function startEndpoint(processes: Processes): Promise<Endpoint> {
  const sink = await startSlowSink();
  const response = await fetch(`${processes.api.url}/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: sink.url() }),
  });
  if (!response.ok) throw new Error(`endpoint: ${response.status} ${await response.text()}`);

  return {
    async told() {
      await delivered(processes, 60_000);
      return processes.ask<Told>(
        `select v.notification_id, v.type, v.id as event_id, d.status
         from webhook_events v join webhook_deliveries d on d.event_id = v.id`,
      );
    },
    arrived: () => new Set(sink.received.map(({ headers }) => headers['webhook-id'])),
    close: sink.stop,
  };
}

async function delivered(processes: Processes, deadlineMs: number): Promise<void> {
  for (const deadline = Date.now() + deadlineMs; Date.now() < deadline; await delay(100)) {
    const [row] = await processes.ask<{ open: number }>(
      `select count(*)::int as open from webhook_deliveries where status = 'pending'`,
    );
    if (row?.open === 0) return;
  }
}
