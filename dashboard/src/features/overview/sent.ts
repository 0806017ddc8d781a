import type { ActivityCounts } from '@carillon/sdk';

/**
 * Notifications that a provider accepted and has not reported on: status `sent`. The counters are events, and a bounce may or
 * may not have been sent before (a recipient that is refused at once was not). The value that makes the outcomes add up to the
 * accepted ones is right, within what both kinds of bounces allow.
 */
export function awaitingReport(counts: Omit<ActivityCounts, 'complained' | 'retried'>): number {
  const { accepted, sent, delivered, bounced, failed, suppressed } = counts;
  const most = Math.max(0, sent - delivered);
  const least = Math.max(0, most - bounced);
  return Math.min(most, Math.max(least, accepted - delivered - bounced - failed - suppressed));
}
