import type { Carrier } from '../../server/src/channels/contract.ts';
import type { EmailSender } from '../../server/src/channels/email/sender.ts';
import type { Notification } from '../../server/src/features/notifications/notifications/index.ts';
import type { EmailConnections } from '../../server/src/features/providers/connections/index.ts';
import { allJobs } from '../../server/src/jobs.ts';
import { allRoutes } from '../../server/src/routes.ts';
import { serve } from './serve.ts';

/**
 * The service, both roles in one process as `npm start` runs it, with a stopwatch from the moment the handler of a send has the
 * request until its provider is called. Ids hold milliseconds; this holds microseconds. Asked by its parent, it tells what
 * it took since it was last asked.
 */
const acceptedAt = new Map<string, number>();
/** A worker may call the provider before the handler that accepted the send goes on. The newest few are enough. */
const calledAt = new Map<string, number>();
const keptCalls = 1_000;
let tookMs: number[] = [];

process.on('message', () => {
  process.send?.(tookMs);
  tookMs = [];
});

await serve({
  routes: (services, options) =>
    allRoutes(services, options).map((route) =>
      route.operation !== 'sendNotification'
        ? route
        : {
            ...route,
            async handler(call) {
              const now = performance.now();
              const reply = await route.handler(call);
              const { id } = reply.body as Notification;
              const called = calledAt.get(id);
              if (called === undefined) acceptedAt.set(id, now);
              else tookMs.push(called - now);
              return reply;
            },
          },
    ),
  jobs: (services) => allJobs({ ...services, emailConnections: timed(services.emailConnections) }),
});

function noteCall(id: string): void {
  calledAt.set(id, performance.now());
  if (calledAt.size <= keptCalls) return;
  for (const oldest of calledAt.keys()) {
    calledAt.delete(oldest);
    break;
  }
}

function timed(connections: EmailConnections): EmailConnections {
  const known = new WeakMap<Carrier, Carrier>();
  const timedCarrier = (carrier: Carrier): Carrier => {
    const wrapped = known.get(carrier) ?? {
      ...carrier,
      send(message, signal) {
        const began = acceptedAt.get(message.notificationId);
        if (began === undefined) noteCall(message.notificationId);
        else {
          tookMs.push(performance.now() - began);
          acceptedAt.delete(message.notificationId);
        }
        return carrier.send(message, signal);
      },
    };
    known.set(carrier, wrapped);
    return wrapped;
  };
  return {
    ...connections,
    async sendersFor(environments) {
      const senders = await connections.sendersFor(environments);
      return new Map(
        [...senders].map(([id, sender]): [string, EmailSender] => [
          id,
          { ...sender, carriers: sender.carriers.map(timedCarrier) },
        ]),
      );
    },
  };
}
