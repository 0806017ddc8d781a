import { integer, setting } from './setting.ts';

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
