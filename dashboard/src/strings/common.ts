/**
 * The catalogue: every text of the dashboard stands in a file of this folder, one per area, so that it can be proof-read and
 * translated in one place. Pages contain none (a test sees to it).
 */
/** The names of the services, by the names that the API has for them. */
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
  permanent_failure: 'Failed for good',
};

export const common = {
  product: 'Carillon',
  channel: (channel: string) => (isChannel(channel) ? channels[channel] : channel),
  isChannel,
  /** Where the reader writes code: `Slack (chatone)`. */
  channelInCode: (channel: string) =>
    Object.hasOwn(vendors, channel) ? `${vendorNamed(channel)} (${channel})` : common.channel(channel),
  /** What the API calls a channel or provider, where that is another word; null otherwise. */
  wireName: (channel: string) => (Object.hasOwn(vendors, channel) ? channel : null),
  /** A provider by the name of its service: `smsone` → `Twilio`. */
  provider: vendorNamed,
  /** The same within a text of the service. */
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
  shownOnce: 'This is shown once. Copy it now; afterwards only its last characters can be seen.',
  unsaved: 'You have changes that are not saved.',
  leaveAnyway: 'Leave without saving',
  stay: 'Stay here',
  viewerOnly: 'Your role lets you look here, not change anything.',
  connectionLost: 'Connection lost. Retrying…',
  cannotReach: 'The service cannot be reached.',
  cannotReachHint: 'Is it running?',
  triesAgain: 'This page tries again by itself.',
  notFound: 'There is nothing here.',
  notFoundHint: 'It may have been deleted, or it belongs to another environment.',
  notAllowed: 'Your role does not allow this.',
  wentWrong: 'Something went wrong.',
  requestId: (id: string) => `Request ${id}`,
  ago: (text: string) => `${text} ago`,
  inTime: (text: string) => `in ${text}`,
  justNow: 'just now',
  noRows: 'Nothing matches.',
  skipToContent: 'Skip to the content',
};

/** `constructor` is a word too: only what was put there counts. */
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
