/** Drawn here: the published sets weigh tens of megabytes for the forty icons used. 24 × 24, one stroke. */
const paths = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM14 4v3h6V4zM4 17v3h6v-3z',
  notifications: 'M18 16V11a6 6 0 1 0-12 0v5l-2 2h16zM10 21h4',
  templates: 'M6 3h8l5 5v13H6zM14 3v5h5M9 13h7M9 17h5',
  workflows: 'M6 4h4v4H6zM14 16h4v4h-4zM6 16h4v4H6zM8 8v8M8 12h8v4',
  broadcasts: 'M4 10v4h3l6 4V6l-6 4zM17 9a4 4 0 0 1 0 6M19 6a8 8 0 0 1 0 12',
  preferences: 'M4 7h10M18 7h2M4 17h4M12 17h8M16 5v4M10 15v4',
  suppressions: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.7 5.7l12.6 12.6',
  webhooks: 'M9 8a3 3 0 1 1 4 2.8l3 5.2M18 14a3 3 0 1 1-2.6 4.5H9M8 18.5A3 3 0 1 1 6 13M10.5 10.5 8 15',
  connections: 'M9 7V3M15 7V3M6 7h12v4a6 6 0 0 1-12 0zM12 17v4',
  sandbox: 'M3 9h18l-1.5 11h-15zM8 9V6a4 4 0 0 1 8 0v3',
  settings:
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  start: 'M5 21V4M5 4h12l-3 4 3 4H5',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'M5 12.5 10 17.5 19 7',
  chevron: 'M9 6l6 6-6 6',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  back: 'M15 6l-6 6 6 6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  retry: 'M4 12a8 8 0 1 0 2.5-5.8M4 4v5h5',
  send: 'M4 12 20 4l-5 16-4-6zM11 14l9-10',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  key: 'M14 10a5 5 0 1 0-4 4.9L12 17h2v2h2v2h4v-3l-6.3-6.3',
  team: 'M9 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM2 21a7 7 0 0 1 14 0M16 4.5a4 4 0 0 1 0 7M18 14.5A7 7 0 0 1 22 21',
  audit: 'M5 3h14v18H5zM9 8h6M9 12h6M9 16h4',
  usage: 'M4 20V10M10 20V4M16 20v-8M21 20H3',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21a8 8 0 0 1 16 0',
  leave: 'M10 4H4v16h6M15 8l4 4-4 4M19 12H9',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  device: 'M3 5h18v11H3zM8 21h8M12 16v5',
  phone: 'M8 2h8v20H8zM11 18h2',
  email: 'M3 6h18v13H3zM3 7l9 7 9-7',
  in_app: 'M4 4h16v13H9l-5 4zM8 9h8M8 13h5',
  webhook: 'M7 8l-4 4 4 4M17 8l4 4-4 4M14 5l-4 14',
  sms: 'M8 2h8v20H8zM10.5 18h3M11 6h2',
  chatone: 'M10 3v18M16 3l-2 18M4 9h17M3 15h17',
  chattwo: 'M3 6h11v12H3zM6 10h5M8.5 10v5M17 8a2.5 2.5 0 1 0 0-5M16 11h5v5a4 4 0 0 1-5 3.8',
  chatthree: 'M7 6c3-1.5 7-1.5 10 0l3 9c-1 2-3 3-5 3l-1-2h-4l-1 2c-2 0-4-1-5-3zM9.5 12h.01M14.5 12h.01',
  warning: 'M12 4 2.5 20h19zM12 10v4M12 17h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.01',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2',
  play: 'M7 4l12 8-12 8z',
  pause: 'M8 5v14M16 5v14',
  stop: 'M6 6h12v12H6z',
  drag: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  branch: 'M6 4v10M6 14a4 4 0 0 0 4 4h8M6 8a4 4 0 0 0 4 4h8M15 9l3 3-3 3M15 15l3 3-3 3',
  book: 'M4 4h6a2 2 0 0 1 2 2v14a2 2 0 0 0-2-2H4zM20 4h-6a2 2 0 0 0-2 2v14a2 2 0 0 1 2-2h6z',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  eye: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  filter: 'M3 5h18l-7 8v6l-4-2v-4z',
  lock: 'M6 11h12v10H6zM9 11V7a3 3 0 0 1 6 0v4',
} as const;
export type IconName = keyof typeof paths;

/** Decorative: the text beside it or the label of its button has the meaning. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' || name === 'drag' ? 2.6 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      style={{ flex: 'none' }}
    >
      <path d={paths[name]} />
    </svg>
  );
}
