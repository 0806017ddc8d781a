import { deleteInSlices } from '../../../db/slices.ts';
import { deleteActivityBefore, deleteCallsBefore, deleteTriggersBefore } from './store.ts';

const hourMs = 3_600_000;
/** The retention equals the longest window that reads each kind of row. */
const kept = {
  60: 6 * hourMs,
  600: 7 * 24 * hourMs,
  calls: 7 * 24 * hourMs,
  triggers: 8 * 24 * hourMs,
} as const;

export const tidyActivity = deleteInSlices(
  5_000,
  ({ pool, clock }, limit) => deleteActivityBefore(pool, 60, new Date(clock() - kept[60]), limit),
  ({ pool, clock }, limit) => deleteActivityBefore(pool, 600, new Date(clock() - kept[600]), limit),
  ({ pool, clock }, limit) => deleteCallsBefore(pool, new Date(clock() - kept.calls), limit),
  ({ pool, clock }, limit) => deleteTriggersBefore(pool, new Date(clock() - kept.triggers), limit),
);
