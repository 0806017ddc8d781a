import { allJobs } from '../../server/src/jobs.ts';
import { serve } from './serve.ts';
import { createStopwatch } from './stopwatch.ts';

/** The service's worker as it is, with a stopwatch on what it finishes. */
const stopwatch = createStopwatch();

await serve({
  jobs: (services) => {
    const jobs = allJobs(services);
    return { ...jobs, notification: { ...jobs.notification, run: stopwatch.around(jobs.notification.run) } };
  },
});
