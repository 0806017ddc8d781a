/**
 * Every text of the dashboard is in a file of this folder, one per area, so that the texts can be proofread and
 * translated in one place. A test rejects literal texts in pages.
 */
/** Service names by their API names. */
const vendors = {
  chatone: 'Slack',
  chattwo: 'Microsoft Teams',
  chatthree: 'Discord',
  smsone: 'Twilio',
  smstwo: 'Vonage',
} as const;
const vendorWords = new RegExp(`\\b(?:${Object.keys(vendors).join('|')})\\b`, 'g');

const channels = {
  email: 'Email',
  in_app: 'In-app',
  webhook: 'Webhook',
  sms: 'SMS',
  chatone: vendors.chatone,
  chattwo: vendors.chattwo,
  chatthree: vendors.chatthree,
} as const;
export type Channel = keyof typeof channels;
export const channelNames = Object.keys(channels) as Channel[];

const statuses: Record<string, string> = {
  auto_disabled: 'Disabled by the service',
  permanent_failure: 'Failed permanently',
};

export const common = {
  product: 'Carillon',
  channel: (channel: string) => (isChannel(channel) ? channels[channel] : channel),
  isChannel,
  /** The channel name for readers who write code: `Slack (chatone)`. */
  channelInCode: (channel: string) =>
    Object.hasOwn(vendors, channel) ? `${vendorNamed(channel)} (${channel})` : common.channel(channel),
  /** The API name of a channel or provider; null when it is the same as the displayed name. */
  wireName: (channel: string) => (Object.hasOwn(vendors, channel) ? channel : null),
  /** The service name of a provider: `smsone` → `Twilio`. */
  provider: vendorNamed,
  /** Replaces API names with service names in a text from the server. */
  withVendors: (text: string) => text.replaceAll(vendorWords, vendorNamed),
  status: (status: string) => wordFor(statuses, status) ?? sentence(status),
  sentence,
  test: 'Test',
  live: 'Live',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  create: 'Create',
  delete: 'Delete',
  remove: 'Remove',
  edit: 'Edit',
  add: 'Add',
  back: 'Back',
  done: 'Done',
  copy: 'Copy',
  copied: 'Copied',
  retry: 'Try again',
  loadMore: 'Show more',
  loading: 'Loading…',
  all: 'All',
  any: 'Any',
  none: 'None',
  never: 'Never',
  yes: 'Yes',
  no: 'No',
  more: 'More',
  actions: 'Actions',
  name: 'Name',
  created: 'Created',
  saved: 'Saved.',
  optional: 'optional',
  search: 'Search',
  clearFilters: 'Clear filters',
  typeToConfirm: (word: string) => `Type ${word} to confirm`,
  shownOnce: 'This is shown only once. Copy it now: later only the last characters are visible.',
  unsaved: 'You have unsaved changes.',
  leaveAnyway: 'Leave without saving',
  stay: 'Keep editing',
  viewerOnly: 'Your role has read-only access.',
  connectionLost: 'Connection lost. Retrying…',
  cannotReach: 'Can’t reach the service.',
  cannotReachHint: 'Is it running?',
  triesAgain: 'Retrying automatically.',
  notFound: 'Not found.',
  notFoundHint: 'It may have been deleted, or belong to another environment.',
  notAllowed: 'Your role does not allow this.',
  wentWrong: 'Something went wrong.',
  requestId: (id: string) => `Request ${id}`,
  ago: (text: string) => `${text} ago`,
  inTime: (text: string) => `in ${text}`,
  justNow: 'just now',
  noRows: 'No results.',
  skipToContent: 'Skip to content',
};

/** Looks up own properties only: `constructor` can be a name too. */
export function wordFor(words: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}

function vendorNamed(name: string): string {
  return wordFor(vendors, name) ?? name;
}

function isChannel(channel: string): channel is Channel {
  return Object.hasOwn(channels, channel);
}

/** `hard_bounce` → `Hard bounce`. */
function sentence(word: string): string {
  const text = word.replaceAll(/[_-]/g, ' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
