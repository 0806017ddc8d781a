import type { ReactNode } from 'react';
import { common } from '../strings/common.ts';
import styles from './badge.module.css';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icons.tsx';

export type Tone = 'green' | 'red' | 'amber' | 'blue' | 'violet' | 'grey' | 'live';
type Shape = 'dot' | 'hollow' | 'square' | 'diamond';

export function Badge(props: { tone?: Tone; shape?: Shape; icon?: IconName; children: ReactNode }) {
  const { tone = 'grey', shape, icon, children } = props;
  return (
    <span className={classes(styles.badge, styles[tone])}>
      {shape && <span className={classes(styles.dot, shape !== 'dot' && styles[shape])} />}
      {icon && <Icon name={icon} size={13} />}
      {children}
    </span>
  );
}

/** Colour and shape of each status: colour alone is not accessible. All features share these words. */
const statuses: Record<string, [Tone, Shape]> = {
  queued: ['grey', 'hollow'],
  sending: ['blue', 'hollow'],
  sent: ['blue', 'dot'],
  delivered: ['green', 'dot'],
  failed: ['red', 'diamond'],
  bounced: ['red', 'diamond'],
  complained: ['red', 'diamond'],
  suppressed: ['amber', 'square'],
  // webhooks
  active: ['green', 'dot'],
  failing: ['red', 'diamond'],
  paused: ['amber', 'square'],
  auto_disabled: ['red', 'diamond'],
  disabled: ['grey', 'square'],
  pending: ['grey', 'hollow'],
  in_flight: ['blue', 'hollow'],
  succeeded: ['green', 'dot'],
  success: ['green', 'dot'],
  retrying: ['amber', 'hollow'],
  permanent_failure: ['red', 'diamond'],
  // workflows
  draft: ['grey', 'hollow'],
  running: ['blue', 'hollow'],
  waiting: ['violet', 'hollow'],
  completed: ['green', 'dot'],
  cancelling: ['amber', 'hollow'],
  cancelled: ['grey', 'square'],
  // schedules
  ended: ['grey', 'square'],
  missed: ['amber', 'square'],
  // broadcasts
  scheduled: ['violet', 'hollow'],
  preparing: ['blue', 'hollow'],
  done: ['green', 'dot'],
  deleted: ['grey', 'square'],
  // connections
  healthy: ['green', 'dot'],
  degraded: ['amber', 'square'],
  outage: ['red', 'diamond'],
  broken: ['red', 'diamond'],
  gone: ['red', 'diamond'],
  // devices
  accepted: ['green', 'dot'],
  retry: ['amber', 'hollow'],
  throttled: ['amber', 'square'],
  rejected: ['red', 'diamond'],
  skipped: ['grey', 'square'],
};

export function StatusBadge({ status }: { status: string }) {
  const [tone, shape] = (Object.hasOwn(statuses, status) && statuses[status]) || (['grey', 'dot'] as const);
  return (
    <Badge tone={tone} shape={shape}>
      {common.status(status)}
    </Badge>
  );
}

/** `wire` adds the API name to the service name, for readers who write code. */
export function ChannelLabel({ channel, wire = false }: { channel: string; wire?: boolean }) {
  const wireName = wire ? common.wireName(channel) : null;
  return (
    <span
      style={{
        display: 'inline-flex',
        verticalAlign: 'middle',
        alignItems: 'center',
        gap: 6,
        whiteSpace: 'nowrap',
      }}
    >
      <Icon name={common.isChannel(channel) ? channel : 'send'} size={15} />
      {common.channel(channel)}
      {wireName !== null && <code>{wireName}</code>}
    </span>
  );
}
