import { createReleaseJob } from './features/brake/index.ts';
import { createBroadcastJob } from './features/broadcasts/index.ts';
import { createBulkActionJob } from './features/bulk-actions/index.ts';
import { createDispatchJob } from './features/dispatch/index.ts';
import { createInboxReturnJob } from './features/inbox/index.ts';
import { createPushJob, planRings } from './features/push/index.ts';
import { createReceiptJob } from './features/receipts/index.ts';
import { createRunJob } from './features/runs/index.ts';
import { createScheduleJob } from './features/schedules/index.ts';
import { createErasureJob } from './features/users/index.ts';
import { createResumeJob, createWebhookJob } from './features/webhooks/index.ts';
import { createWakeJob, type Job, type WorkKind } from './queue/index.ts';
import type { Services } from './services.ts';

/** Table: kind of job → handler. A kind without a handler does not compile. */
export function allJobs(services: Services): Record<WorkKind, Job> {
  return {
    notification: createDispatchJob(services),
    receipt: createReceiptJob(services),
    webhook_delivery: createWebhookJob(services),
    erasure: createErasureJob(services),
    run: createRunJob(services),
    wake: createWakeJob(services),
    schedule: createScheduleJob(services),
    brake_release: createReleaseJob(services),
    bulk_action: createBulkActionJob(services),
    broadcast: createBroadcastJob(services),
    inbox_return: createInboxReturnJob({ ...services, planRings }),
    push: createPushJob(services),
    webhook_resume: createResumeJob(services),
  };
}
