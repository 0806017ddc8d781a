import { allJobs } from '../../server/src/jobs.ts';
import { serve } from './serve.ts';

/** A worker that creates the notifications of broadcasts and sends none: what it does is compared with accepting them. */
await serve({
  jobs(services) {
    const jobs = allJobs(services);
    return { ...jobs, notification: { ...jobs.notification, capacity: 0 } };
  },
});
