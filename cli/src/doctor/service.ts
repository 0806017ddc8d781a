import { type Client, createClient, type GetReadinessResult } from '@carillon/sdk';
import { type Check, checkOf } from './check.ts';

/** Whether the process, its database and its queue are well. Throws when nothing answers. */
export async function checkService(url: string): Promise<Check[]> {
  // While a part is unwell the answer is 503, and its body is what we came for.
  const asSuccess: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const isReport = response.status === 503 && String(input).endsWith('/readyz');
    return isReport ? new Response(response.body, { status: 200, headers: response.headers }) : response;
  };
  const { operations } = createClient({
    base_url: url,
    api_key: null,
    max_retries: 0,
    timeout_ms: 10_000,
    fetch: asSuccess,
  });
  const readiness = await operations.getReadiness();
  return [...readiness.components.map(componentCheck), queueCheck(await operations.getMetrics())];
}

function componentCheck({ name, ok, detail }: GetReadinessResult['components'][number]): Check {
  const advice =
    name === 'migrations'
      ? 'Start a process of this version to migrate the database.'
      : 'Check the service log.';
  return checkOf('service', name, { status: ok ? 'ok' : 'fail', detail, advice: ok ? null : advice });
}

const manyWaiting = 1000;
const longLagSeconds = 5;

export function queueCheck(metrics: string): Check {
  const waiting = sumOf(metrics, 'carillon_queue_waiting');
  const sum = sumOf(metrics, 'carillon_accept_to_attempt_seconds_sum');
  const count = sumOf(metrics, 'carillon_accept_to_attempt_seconds_count');
  const lag = count > 0 ? sum / count : null;
  const words = [
    `${waiting} waiting`,
    lag === null
      ? 'no sends from this process yet'
      : `${lag.toFixed(3)} s from acceptance to first attempt on average`,
  ].join(', ');
  const slow = waiting > manyWaiting || (lag ?? 0) > longLagSeconds;
  return checkOf('service', 'queue lag', {
    status: slow ? 'warn' : 'ok',
    detail: words,
    advice: slow ? 'Start more workers (CARILLON_ROLES=worker), or check for a slow provider.' : null,
  });
}

/** The samples of one metric with any labels. */
function sumOf(metrics: string, name: string): number {
  let sum = 0;
  for (const [, value] of metrics.matchAll(new RegExp(`^${name}(?:\\{[^\\n]*\\})? (\\S+)`, 'gm')))
    sum += Number(value);
  return sum;
}

export async function checkKey(client: Client) {
  const me = await client.me();
  const detail = `${me.environment_kind} environment ${me.environment_id}, ${me.key_scope}`;
  return { me, check: checkOf('key', 'key', { status: 'ok', detail }) };
}
