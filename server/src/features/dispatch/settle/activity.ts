import type { Activity } from '../../../deps.ts';
import { assertNever } from '../../../kernel/errors.ts';
import { idTime } from '../../../kernel/ids.ts';
import { countMoved } from '../../receipts/index.ts';
import type { DispatchFact } from '../store.ts';
import type { RoundSettlement } from './round-settlement.ts';

/** Counts a settlement once it is written. */
export function countSettled(activity: Activity, fact: DispatchFact, settled: RoundSettlement): void {
  const { id, environment_id: environmentId, channel } = fact;
  const count = (outcome: Parameters<Activity['count']>[2]): void =>
    activity.count(environmentId, channel, outcome);
  switch (settled.kind) {
    case 'sent': {
      const due = fact.send_at?.getTime() ?? idTime(id);
      count('sent');
      activity.took(environmentId, channel, Math.max(0, Date.parse(settled.sentAt) - due));
      const { status } = settled;
      if (status !== 'sent') countMoved(activity, [{ environmentId, channel, before: 'sent', status }]);
      break;
    }
    case 'reported':
      // Everything but the send was counted with the report.
      count('sent');
      break;
    case 'bounced':
    case 'failed':
    case 'suppressed':
      count(settled.kind);
      break;
    case 'retry':
      count('retried');
      break;
    case 'waiting':
      if (settled.events.some(({ type }) => type === 'Retrying')) count('retried');
      break;
    case 'deferred':
    case 'held':
    case 'still_waiting':
      break;
    default:
      assertNever(settled);
  }
}
