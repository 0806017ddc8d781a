/** The texts of the elements. Names in braces such as `{count}` are placeholders; texts with a count have one form per plural. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

export const english = {
  notifications: 'Notifications',
  bell: 'Notifications',
  bellUnread: { one: 'Notifications, {count} unread', other: 'Notifications, {count} unread' } as Plural,
  unread: 'Unread',
  filter: 'Show',
  filterAll: 'All',
  filterUnread: 'Unread',
  markAllRead: 'Mark all as read',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  archive: 'Archive',
  showMore: 'Show more',
  showLess: 'Show less',
  untitled: 'Notification',
  now: 'now',
  close: 'Close',
  loading: 'Loading…',
  loadingMore: 'Loading more…',
  retry: 'Try again',
  empty: 'No notifications yet',
  emptyHint: 'New notifications appear here.',
  emptyUnread: 'No unread notifications',
  emptyUnreadHint: 'You’re all caught up.',
  loadFailed: 'Couldn’t load.',
  moreFailed: 'Couldn’t load more.',
  offline: 'No connection. Retrying…',
  unauthorized: 'Your session has ended. Reload the page to sign in again.',
  changeFailed: 'Something went wrong. Nothing was changed.',
  arrived: 'New notification: {title}',
  fresh: { one: '{count} new', other: '{count} new' } as Plural,
  archived: 'Archived',
  allRead: 'All notifications marked as read',
  preferences: 'Notification preferences',
  category: 'Topic',
  alwaysOn: 'Always on',
  unsubscribeAll: 'Turn off all',
  unsubscribeConfirm: 'Turn off all notifications that can be turned off?',
  confirm: 'Turn off',
  cancel: 'Cancel',
  saved: 'Saved',
  noCategories: 'No preferences yet.',
  cell: '{category}: {channel}',
  channel_email: 'Email',
  channel_in_app: 'In the app',
  channel_sms: 'SMS',
  channel_webhook: 'Webhook',
  channel_chatone: 'Slack',
  channel_chattwo: 'Microsoft Teams',
  channel_chatthree: 'Discord',
};

export type Messages = typeof english;
export type MessageName = keyof Messages;

const registered = new Map<string, Partial<Messages>>();

/** Sets texts of a language for all elements of the page, e.g. `registerMessages('it', { archive: 'Archivia' })`. */
export function registerMessages(language: string, messages: Partial<Messages>): void {
  registered.set(language.toLowerCase(), messages);
}

export type Say = (name: MessageName, values?: Record<string, string | number>) => string;

export function createSay(language: string, own: Partial<Messages> | null): Say {
  const tag = language.toLowerCase();
  const texts: Messages = {
    ...english,
    ...registered.get(tag.split('-')[0] ?? ''),
    ...registered.get(tag),
    ...own,
  };
  return (name, values = {}) => {
    const text = texts[name];
    const form =
      typeof text === 'string' ? text : (text[pluralOf(language, Number(values.count))] ?? text.other);
    return form.replace(/\{(\w+)\}/g, (whole, key: string) => {
      const value = values[key];
      return typeof value === 'number' ? value.toLocaleString(language) : (value ?? whole);
    });
  };
}

function pluralOf(language: string, count: number): Intl.LDMLPluralRule {
  return new Intl.PluralRules(language).select(count);
}

/** Returns the first valid language tag; `lang` of a page can be any text. */
export function validLanguage(...candidates: (string | null | undefined)[]): string {
  for (const candidate of candidates) {
    try {
      const [tag] = Intl.getCanonicalLocales(candidate || []);
      if (tag) return tag;
    } catch {
      // Not a language tag.
    }
  }
  return 'en';
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "now", "5 min. ago", "yesterday", "3 Mar": never in the future, even with a wrong clock. */
export function timeAgo(at: number, now: number, language: string, nowText: string): string {
  const age = Math.max(0, now - at);
  if (age < minute) return nowText;
  if (age < 7 * day) {
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });
    if (age < hour) return relative.format(-Math.floor(age / minute), 'minute');
    if (age < day) return relative.format(-Math.floor(age / hour), 'hour');
    return relative.format(-Math.floor(age / day), 'day');
  }
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString(language, {
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
  });
}
