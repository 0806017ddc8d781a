import { shell } from '../strings/shell.ts';
import type { IconName } from '../ui/index.ts';

interface Area {
  /** The path below the environment: `/test/…`. */
  path: string;
  name: string;
  icon: IconName;
  /** The shortcut after `g`. */
  key?: string;
}

/** The areas of the navigation, the command palette and the shortcuts. */
export const groups: { name: string | null; areas: Area[] }[] = [
  {
    name: null,
    areas: [
      { path: '/start', name: shell.start, icon: 'start' },
      { path: '/overview', name: shell.overview, icon: 'overview', key: 'o' },
      { path: '/notifications', name: shell.notifications, icon: 'notifications', key: 'n' },
      { path: '/brake', name: shell.brake, icon: 'stop', key: 'b' },
    ],
  },
  {
    name: shell.groups.build,
    areas: [
      { path: '/templates', name: shell.templates, icon: 'templates', key: 't' },
      { path: '/workflows', name: shell.workflows, icon: 'workflows', key: 'w' },
      { path: '/schedules', name: shell.schedules, icon: 'clock' },
      { path: '/broadcasts', name: shell.broadcasts, icon: 'broadcasts', key: 'b' },
      { path: '/sandbox', name: shell.sandbox, icon: 'sandbox', key: 's' },
    ],
  },
  {
    name: shell.groups.people,
    areas: [
      { path: '/audiences', name: shell.audiences, icon: 'team', key: 'a' },
      { path: '/preferences', name: shell.preferences, icon: 'preferences', key: 'p' },
      { path: '/suppressions', name: shell.suppressions, icon: 'suppressions' },
    ],
  },
  {
    name: shell.groups.connect,
    areas: [
      { path: '/connections', name: shell.connections, icon: 'connections', key: 'c' },
      { path: '/webhooks', name: shell.webhooks, icon: 'webhooks', key: 'h' },
      { path: '/settings', name: shell.settings, icon: 'settings' },
    ],
  },
];

export const areas: Area[] = groups.flatMap((group) => group.areas);
