import type { webhooks as text } from '../../strings/webhooks.ts';

type EventType = keyof typeof text.form.meanings;
type Group = keyof typeof text.form.groups;

/** The current event types; a filter can also name a type that does not exist yet. */
export const eventGroups: readonly [Group, readonly EventType[]][] = [
  [
    'notifications',
    [
      'notification.sent',
      'notification.delivered',
      'notification.bounced',
      'notification.failed',
      'notification.suppressed',
      'notification.held',
      'notification.released',
    ],
  ],
  [
    'people',
    [
      'notification.complained',
      'notification.opened',
      'notification.clicked',
      'notification.read',
      'inbox.action',
    ],
  ],
  ['providers', ['provider.critical', 'provider.recovered']],
  ['brake', ['brake.engaged', 'brake.released', 'brake.frozen', 'brake.unfrozen']],
  ['broadcasts', ['broadcast.completed']],
  ['runs', ['workflow.run.completed', 'workflow.run.failed', 'schedule.missed']],
  ['endpoints', ['webhook.endpoint.disabled']],
];

export const knownTypes: readonly EventType[] = eventGroups.flatMap(([, types]) => types);
export const isKnownType = (type: string): type is EventType =>
  (knownTypes as readonly string[]).includes(type);
