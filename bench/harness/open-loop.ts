import { setTimeout as wait } from 'node:timers/promises';
import { openConnection, postRequests } from './load.ts';
import { message } from './message.ts';
import { until } from './seed.ts';
import { type Service, testKey } from './service.ts';

const perSecond = 50;

/**
 * An open loop against timed-service.ts: requests leave by the clock, whether or not the earlier ones were answered. Returns how
 * long each took from acceptance to the provider call, in ms.
 */
export async function sendByClock(
  service: Service,
  priority: 'normal' | 'critical',
  seconds: number,
): Promise<number[]> {
  const nextRequest = postRequests('/v1/notifications', testKey, { ...message, priority });
  const total = perSecond * seconds;
  const connections = await Promise.all(Array.from({ length: perSecond }, () => openConnection(service.url)));
  const began = performance.now();
  await Promise.all(
    Array.from({ length: total }, async (_, n) => {
      await wait(began + (n * 1000) / perSecond - performance.now());
      const status = await connections[n % connections.length]?.send(nextRequest());
      if (status !== 202) throw new Error('a request was not accepted');
    }),
  );
  for (const connection of connections) connection.close();

  const tookMs: number[] = [];
  await until(async () => {
    service.process.send('what did it take?');
    tookMs.push(...(await service.said<number[]>()));
    return tookMs.length === total;
  }, 60_000);
  return tookMs;
}
