import type { Deps } from './deps.ts';
import { allErasers } from './erasers.ts';
import type { EmailConnections } from './features/connections/index.ts';
import { createDispatchJob, createReceiptJob } from './features/dispatch/index.ts';
import { createRunJob } from './features/runs/index.ts';
import { createErasureJob } from './features/users/index.ts';
import { createWebhookJob } from './features/webhooks/index.ts';
import { allLookups } from './lookups.ts';
import { createWakeJob, type Job, type WorkKind } from './queue/index.ts';

/** Table: kind of job → handler. A kind without a handler does not compile. */
export function allJobs(deps: Deps, connections: EmailConnections): Record<WorkKind, Job> {
  return {
    notification: createDispatchJob(deps, connections),
    receipt: createReceiptJob(deps),
    webhook_delivery: createWebhookJob(deps),
    erasure: createErasureJob(deps, allErasers(deps)),
    run: createRunJob(deps, allLookups(deps)),
    wake: createWakeJob(deps),
  };
}
