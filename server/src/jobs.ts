import { createBroadcastJob } from './features/campaigns/broadcasts/index.ts';
import { createBulkActionJob } from './features/campaigns/bulk-actions/index.ts';
import { createScheduleJob } from './features/campaigns/schedules/index.ts';
import { createReleaseJob } from './features/control/brake/index.ts';
import { createDispatchJob } from './features/delivery/dispatch/index.ts';
import { createPushJob, planRings } from './features/delivery/push/index.ts';
import { createReceiptJob } from './features/delivery/receipts/index.ts';
import { createInboxReturnJob } from './features/inbox/index.ts';
import { createErasureJob } from './features/people/users/index.ts';
import { createResumeJob, createWebhookJob } from './features/webhooks/index.ts';
import { createRunJob } from './features/workflows/runs/index.ts';
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
