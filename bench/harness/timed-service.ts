import type { SandboxStore } from '../../server/src/channels/sandbox/index.ts';
import type { Notification } from '../../server/src/features/notifications/notifications/index.ts';
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
  jobs: (services) => allJobs({ ...services, sandboxStore: timed(services.sandboxStore) }),
});

function noteCall(id: string, now: number): void {
  calledAt.set(id, now);
  if (calledAt.size <= keptCalls) return;
  for (const oldest of calledAt.keys()) {
    calledAt.delete(oldest);
    break;
  }
}

/** What is sent in Test ends in the sandbox, so its store is where the provider is called. */
function timed(store: SandboxStore): SandboxStore {
  return {
    ...store,
    add(row, isAbandoned) {
      const now = performance.now();
      const { notification_id: id } = JSON.parse(row) as { notification_id: string };
      const began = acceptedAt.get(id);
      if (began === undefined) noteCall(id, now);
      else {
        tookMs.push(now - began);
        acceptedAt.delete(id);
      }
      return store.add(row, isAbandoned);
    },
  };
}
