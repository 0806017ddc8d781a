import type { Notification, Trace } from '@carillon/sdk';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { ended, plain, shortMoment } from './plain.ts';

const words = notifications.why.verdicts;

interface Verdict {
  tone: 'green' | 'blue' | 'amber' | 'red';
  text: string;
}

/** Explains the outcome in one or two sentences. */
export function verdictOf(notification: Notification, trace: Trace | undefined): Verdict {
  const { status, attempt_count: attempts, last_error: error } = notification;
  const attempt = trace?.entries.findLast(({ kind }) => kind === 'attempt');
  const stopped = trace?.entries.findLast(({ kind, verdict }) => kind === 'gate' && verdict !== 'pass');
  const reason = ended(plain(error ?? attempt?.detail ?? stopped?.detail ?? words.unknownReason));
  switch (status) {
    case 'queued':
      return { tone: 'blue', text: waiting(notification, trace, stopped?.detail ?? error) };
    case 'sending':
      return { tone: 'blue', text: words.sending };
    case 'sent':
      return { tone: 'blue', text: words.sent(attempt ? common.provider(attempt.name) : words.aProvider) };
    case 'delivered':
      return { tone: 'green', text: words.delivered(attempts) };
    case 'bounced':
      return { tone: 'red', text: words.bounced(error ? reason : bounceOf(notification, reason)) };
    case 'complained':
      return { tone: 'red', text: words.complained };
    case 'suppressed': {
      const why = stopped?.detail ?? notification.suppression_reason?.replaceAll('_', ' ');
      return { tone: 'amber', text: words.suppressed(lowered(ended(plain(why ?? words.unknownReason)))) };
    }
    case 'failed':
      return { tone: 'red', text: words.failed(attempts, reason) };
  }
}

/** A late bounce has its reason in its event. */
function bounceOf({ events }: Notification, otherwise: string): string {
  const detail = events.findLast(({ type }) => type === 'Bounced')?.detail;
  return detail ? ended(plain(detail)) : otherwise;
}

function waiting(notification: Notification, trace: Trace | undefined, reason: string | null): string {
  const next = trace?.next_attempt_at ?? null;
  if (notification.attempt_count > 0 && next) {
    return words.waiting(shortMoment(next), lowered(ended(plain(reason ?? words.unknownReason))));
  }
  if (notification.send_at && Date.parse(notification.send_at) > Date.now()) {
    return words.scheduled(shortMoment(notification.send_at));
  }
  return next && reason ? ended(plain(reason)) : words.queued;
}

/** For use after a colon; codes and names keep their capitals. */
function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
}
