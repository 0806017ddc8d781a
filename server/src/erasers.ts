import type { Deps } from './deps.ts';
import { bulkActionEraser } from './features/campaigns/bulk-actions/index.ts';
import { scheduleEraser } from './features/campaigns/schedules/index.ts';
import { deviceEraser } from './features/delivery/push/index.ts';
import { inboxEraser } from './features/inbox/index.ts';
import { notificationEraser } from './features/notifications/notifications/index.ts';
import { subscriptionEraser } from './features/people/audiences/index.ts';
import { preferenceEraser } from './features/people/preferences/index.ts';
import type { Eraser } from './features/people/users/index.ts';
import { runEraser, wakeRunsOf } from './features/workflows/runs/index.ts';

/** Table: the features that store personal data and erase it when a user is erased. */
export function allErasers(deps: Pick<Deps, 'queue'>): Eraser[] {
  return [
    preferenceEraser,
    subscriptionEraser,
    inboxEraser,
    deviceEraser,
    notificationEraser(deps.queue, wakeRunsOf),
    runEraser(deps.queue),
    scheduleEraser,
    bulkActionEraser,
  ];
}
