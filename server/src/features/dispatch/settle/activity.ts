import type { Activity } from '../../../deps.ts';
import { idTime } from '../../../kernel/ids.ts';
import { countMoved } from '../../receipts/index.ts';
import type { DispatchFact } from '../store.ts';
import type { RoundSettlement } from './settlement.ts';

/** Counts a settlement once it is written. */
export function countSettled(activity: Activity, fact: DispatchFact, settled: RoundSettlement): void {
  const { id, environment_id: environmentId, channel } = fact;
  const count = (outcome: Parameters<Activity['count']>[2]): void =>
    activity.count(environmentId, channel, outcome);
  if (settled.silent) return;
  if (settled.sent_at !== null) {
    const due = fact.send_at?.getTime() ?? idTime(id);
    count('sent');
    activity.took(environmentId, channel, Math.max(0, Date.parse(settled.sent_at) - due));
  }
  switch (settled.status) {
    case 'queued':
      if (settled.events.some(({ type }) => type === 'Retrying')) count('retried');
      break;
    case 'failed':
    case 'suppressed':
      count(settled.status);
      break;
    case 'delivered':
    case 'bounced':
    case 'complained':
      // The answer was lost and a report gave the status: everything but the send was counted with the report.
      if (settled.outcomeUnknown) count('sent');
      else countMoved(activity, [{ environmentId, channel, before: 'sent', status: settled.status }]);
      break;
    case 'sent':
      break;
  }
}
