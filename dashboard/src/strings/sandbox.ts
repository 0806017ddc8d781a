export const sandbox = {
  title: 'Sandbox',
  description: 'What your Test sends would have been. Nothing here has left this machine.',
  channels: 'Channel',
  allChannels: 'All channels',
  search: 'Recipient begins with…',
  list: 'Messages',
  empty: 'Empty the outbox',
  emptyTitle: 'Empty the outbox?',
  emptyText: 'Every message in the sandbox of this environment is removed. Notifications stay as they are.',
  emptied: 'The outbox is empty.',
  noMatch: 'No message matches.',
  backToList: 'All messages',
  views: 'Views of the message',
  preview: 'Preview',
  source: 'Source',
  payload: 'Payload',
  notification: 'Open the notification',
  mime: 'The message, byte for byte',
  mimeIncomplete: 'The bytes of attachments are not kept: each has a line in its place.',
  attachment: (name: string, size: string) => `${name} (${size})`,
  attachments: 'Attachments',
  gone: 'This message is gone.',
  goneHint: 'Messages are kept for 30 days, or until the outbox is emptied.',
  none: {
    title: 'Nothing here yet',
    text: 'Every Test send ends here instead of reaching somebody, and its recipient decides what becomes of it:',
    sendOne: 'Send a test',
    other: 'Everybody else is delivered to.',
  },
  live: {
    title: 'There is no sandbox in Live',
    text: 'What you send here reaches real people. In Test every message ends in the sandbox, where you can look at it.',
    toTest: 'To the sandbox of Test',
    toNotifications: 'See what was sent in Live',
  },
  magic: {
    address: 'Recipient',
    meaning: 'What happens',
    ending: 'Ends as',
    label: 'Recipients that decide what happens',
  },
};

export interface MagicRecipient {
  address: string;
  meaning: string;
  /** The status that the notification ends with. */
  ending: string;
}

/** The recipients that tell the sandbox what to do (docs/guides/sandbox.md; a test compares them with the service). */
export const magicRecipients: { email: MagicRecipient[]; sms: MagicRecipient[] } = {
  email: [
    { address: 'delivered@sandbox.test', meaning: 'Delivered', ending: 'delivered' },
    { address: 'bounced@sandbox.test', meaning: 'Accepted, then a hard bounce', ending: 'bounced' },
    { address: 'complained@sandbox.test', meaning: 'Delivered, then marked as spam', ending: 'complained' },
    { address: 'delayed@sandbox.test', meaning: 'Delivered 3 seconds late', ending: 'delivered' },
    { address: 'opened@sandbox.test', meaning: 'Delivered, then opened', ending: 'delivered' },
    { address: 'refused-once@sandbox.test', meaning: 'Refused at first, then accepted', ending: 'delivered' },
    { address: 'refused@sandbox.test', meaning: 'Refused for good', ending: 'failed' },
    { address: 'slow@sandbox.test', meaning: 'The answer takes 3 seconds', ending: 'delivered' },
    { address: 'no-such-user@sandbox.test', meaning: 'There is no such mailbox', ending: 'bounced' },
    { address: 'ambiguous@sandbox.test', meaning: 'The connection breaks every time', ending: 'failed' },
    { address: 'retry@sandbox.test', meaning: 'Refused for now, every time', ending: 'failed' },
  ],
  sms: [
    { address: '+15005550001', meaning: 'Not a valid number', ending: 'bounced' },
    { address: '+15005550004', meaning: 'Replied STOP earlier', ending: 'bounced' },
    { address: '+15005550006', meaning: 'Delivered', ending: 'delivered' },
    { address: '+15005550009', meaning: 'Accepted, then undelivered', ending: 'bounced' },
  ],
};
