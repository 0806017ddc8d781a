import { integer, oneOf, positive, setting } from './setting.ts';

/** How long notifications are kept, and how many a recipient may get. */
export const notificationSettings = {
  CARILLON_RETENTION_DAYS: setting<number | null>({
    read: integer(7, 36_500),
    fallback: null,
    shown: 'no limit',
    meaning:
      'Retention of finished notifications with all their data, workflow runs, and webhook events with their deliveries.',
  }),
  CARILLON_BRAKE_RECIPIENT_LIMIT: setting({
    read: integer(0, 1_000_000),
    fallback: 100,
    meaning:
      'Notifications of the same template and channel that a recipient may get in an hour, in environments without a rule of their own (`repeated_messages`); more are held. 0: no limit.',
  }),
} as const;

/** Retry delays, plans, rate limits and sessions. */
export const limitSettings = {
  CARILLON_RETRY_SCALE: setting({
    read: positive,
    fallback: 1,
    meaning:
      'Multiplies the retry delays and the five days after which a failing webhook endpoint is disabled (0.001 turns hours into seconds; for tests and demos).',
  }),
  CARILLON_PLAN: setting({
    read: oneOf('free', 'pro', 'scale', 'unmetered'),
    fallback: 'unmetered' as const,
    meaning: 'Plan of new organizations. All organizations of one owner share the limit of a plan.',
  }),
  CARILLON_SELF_SERVICE_ORGANIZATIONS: setting<'on' | 'off' | null>({
    read: oneOf('on', 'off'),
    fallback: null,
    shown: '`off` with a managed email or SMS provider, else `on`',
    meaning:
      'Whether all signed-in users can create organizations. Every organization can send through the managed providers, so with those, by default only the operator can create organizations (--create-organization).',
  }),
  CARILLON_RATE_LIMIT: setting<number | null>({
    read: positive,
    fallback: null,
    shown: 'by plan: free 20, pro 200, scale 2000, unmetered none',
    meaning: 'Requests per second for each key, instead of the limit of the plan; bursts can be twice that.',
  }),
  CARILLON_SESSION_RATE_LIMIT: setting({
    read: positive,
    fallback: 50,
    meaning: 'Requests per second for each dashboard user, per process; bursts can be five times that.',
  }),
  CARILLON_END_USER_RATE_LIMIT: setting({
    read: positive,
    fallback: 20,
    meaning:
      'Requests per second for each end user with tokens (inbox and preferences; an open stream is one request), per process; bursts can be five times that.',
  }),
  CARILLON_SESSION_IDLE_HOURS: setting({
    read: integer(1, 168),
    fallback: 72,
    meaning:
      'Hours after which an unused dashboard session ends (an open dashboard counts as use). Every session ends after 7 days.',
  }),
} as const;
