import {
  createNotificationService,
  type WriteOptions,
} from '../../server/src/features/notifications/notifications/index.ts';
import { wakeRunsOf } from '../../server/src/features/workflows/runs/index.ts';
import { allRoutes } from '../../server/src/routes.ts';
import { serve } from './serve.ts';

export type Variant = 'real' | 'none' | 'single';

/** The same service, by how it writes what it accepts. */
const variants: Record<Variant, WriteOptions> = {
  real: {},
  none: { write: async (acceptances) => acceptances.map(() => true) },
  single: { batching: { concurrency: 10, maxItems: 1 } },
};
const writing = variants[process.env.BENCH_VARIANT as Variant];

await serve({
  routes: (services, options) =>
    allRoutes(
      { ...services, notifications: createNotificationService(services, wakeRunsOf, writing) },
      options,
    ),
});
