import type { Deps } from './deps.ts';
import { subscriptionEraser } from './features/audiences/index.ts';
import { bulkActionEraser } from './features/bulk-actions/index.ts';
import { inboxEraser } from './features/inbox/index.ts';
import { notificationEraser } from './features/notifications/index.ts';
import { preferenceEraser } from './features/preferences/index.ts';
import { deviceEraser } from './features/push/index.ts';
import { runEraser, wakeRunsOf } from './features/runs/index.ts';
import { scheduleEraser } from './features/schedules/index.ts';
import type { Eraser } from './features/users/index.ts';

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
