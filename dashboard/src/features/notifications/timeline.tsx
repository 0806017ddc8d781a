import type { NotificationEvent } from '@carillon/sdk';
import { common } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { Card, duration, ExactTime, Icon, type IconName } from '../../ui/index.ts';
import { plain } from './plain.ts';
import styles from './why.module.css';

const text = notifications.timeline;

const marks: Record<string, [IconName, string]> = {
  Queued: ['plus', 'grey'],
  Sending: ['send', 'blue'],
  Sent: ['check', 'blue'],
  Retrying: ['retry', 'amber'],
  Failed: ['close', 'red'],
  Suppressed: ['suppressions', 'amber'],
  Held: ['pause', 'amber'],
  Released: ['play', 'blue'],
  Delivered: ['check', 'green'],
  Bounced: ['close', 'red'],
  Complained: ['warning', 'red'],
  DeliveryDelayed: ['clock', 'amber'],
  Opened: ['eye', 'green'],
  Clicked: ['external', 'green'],
  FailedOver: ['branch', 'amber'],
  AttemptFailed: ['close', 'amber'],
};

/** The events of a notification, with the time between them. */
export function Timeline({ events }: { events: NotificationEvent[] }) {
  return (
    <Card title={text.title}>
      <ol className={styles.steps}>
        {events.map((event, index) => {
          const [icon, tone] = marks[event.type] ?? ['info', 'grey'];
          const before = events[index - 1];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: events are only appended
            <li key={index} className={styles.step}>
              <span className={styles.mark} data-tone={tone}>
                <Icon name={icon} size={13} />
              </span>
              <div className={styles.body}>
                <div className={styles.head}>
                  <strong>{text.events[event.type] ?? common.sentence(event.type)}</strong>
                  {before && <span className={styles.gap}>{gap(before.occurred_at, event.occurred_at)}</span>}
                </div>
                {event.detail && <p className={styles.quiet}>{plain(event.detail)}</p>}
                <div className={styles.at}>
                  <ExactTime at={event.occurred_at} />
                </div>
              </div>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}

function gap(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 1 ? '' : text.gap(duration(ms));
}
