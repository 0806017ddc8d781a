export const sandbox = {
  title: 'Sandbox',
  description: 'Messages from Test. None of them was sent to a provider.',
  channels: 'Channel',
  allChannels: 'All channels',
  search: 'Search by recipient prefix',
  list: 'Messages',
  empty: 'Clear sandbox',
  emptyTitle: 'Clear sandbox?',
  emptyText: 'This deletes all sandbox messages in this environment. Notifications are not affected.',
  emptied: 'Sandbox cleared.',
  noMatch: 'No messages match.',
  backToList: 'All messages',
  views: 'Views of the message',
  preview: 'Preview',
  source: 'Source',
  payload: 'Payload',
  notification: 'Open notification',
  mime: 'Raw message',
  mimeIncomplete: 'Attachment contents are not stored; each is replaced by one line.',
  attachment: (name: string, size: string) => `${name} (${size})`,
  attachments: 'Attachments',
  gone: 'Message not found.',
  goneHint: 'Messages are kept for 30 days or until the sandbox is cleared.',
  none: {
    title: 'No messages yet',
    text: 'Test sends appear here. Use these recipients to simulate an outcome:',
    sendOne: 'Send test',
    other: 'All other recipients: delivered.',
  },
  live: {
    title: 'No sandbox in Live',
    text: 'Live messages are sent to real recipients. Switch to Test to use the sandbox.',
    toTest: 'Open Test sandbox',
    toNotifications: 'View Live notifications',
  },
  magic: {
    address: 'Recipient',
    meaning: 'Outcome',
    ending: 'Final status',
    label: 'Sandbox recipients',
  },
};

export interface MagicRecipient {
  address: string;
  meaning: string;
  /** The final status of the notification. */
  ending: string;
}

/** Recipients with a simulated outcome (docs/guides/sandbox.md); a test compares them with the server. */
export const magicRecipients: { email: MagicRecipient[]; sms: MagicRecipient[] } = {
  email: [
    { address: 'delivered@sandbox.test', meaning: 'Delivered', ending: 'delivered' },
    { address: 'bounced@sandbox.test', meaning: 'Accepted, then a hard bounce', ending: 'bounced' },
    { address: 'complained@sandbox.test', meaning: 'Delivered, then marked as spam', ending: 'complained' },
    { address: 'delayed@sandbox.test', meaning: 'Delivered 3 seconds late', ending: 'delivered' },
    { address: 'opened@sandbox.test', meaning: 'Delivered, then opened', ending: 'delivered' },
    { address: 'refused-once@sandbox.test', meaning: 'Rejected once, then accepted', ending: 'delivered' },
    { address: 'refused@sandbox.test', meaning: 'Permanently rejected', ending: 'failed' },
    { address: 'slow@sandbox.test', meaning: 'Response delayed by 3 seconds', ending: 'delivered' },
    { address: 'no-such-user@sandbox.test', meaning: 'Mailbox not found', ending: 'bounced' },
    { address: 'ambiguous@sandbox.test', meaning: 'Connection lost on every attempt', ending: 'failed' },
    { address: 'retry@sandbox.test', meaning: 'Temporarily rejected on every attempt', ending: 'failed' },
  ],
  sms: [
    { address: '+15005550001', meaning: 'Invalid number', ending: 'bounced' },
    { address: '+15005550004', meaning: 'Replied STOP earlier', ending: 'bounced' },
    { address: '+15005550006', meaning: 'Delivered', ending: 'delivered' },
    { address: '+15005550009', meaning: 'Accepted, then undelivered', ending: 'bounced' },
  ],
};
