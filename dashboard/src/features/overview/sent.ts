import type { ActivityCounts } from '@carillon/sdk';

/**
 * Estimates the notifications in status `sent`: accepted by a provider, without a receipt. The counters count events, and a
 * bounced notification may or may not have been sent before (one whose recipient is rejected at once was not). The estimate
 * makes the outcomes add up to the accepted notifications, within the range that both kinds of bounces allow.
 */
export function awaitingReport(counts: Omit<ActivityCounts, 'complained' | 'retried'>): number {
  const { accepted, sent, delivered, bounced, failed, suppressed } = counts;
  const most = Math.max(0, sent - delivered);
  const least = Math.max(0, most - bounced);
  return Math.min(most, Math.max(least, accepted - delivered - bounced - failed - suppressed));
}
