import type { SendFields, SendRequest } from '@carillon/sdk';
import type { Channel } from '../../strings/common.ts';
import { notifications } from '../../strings/notifications.ts';
import { emptyInbox, type InboxDraft, inboxOf } from '../../ui/index.ts';

/** The channels that take their content from a template only. */
export const templateOnly: readonly Channel[] = ['chatone', 'chattwo', 'chatthree'];

export interface Draft {
  channel: Channel;
  recipient: string;
  usesTemplate: boolean;
  template: string;
  data: string;
  subject: string;
  words: string;
  /** For in_app only. */
  inbox: InboxDraft;
}

export const firstDraft: Draft = {
  channel: 'email',
  recipient: 'delivered@sandbox.test',
  usesTemplate: false,
  template: '',
  data: '{}',
  subject: notifications.send.sampleSubject,
  words: notifications.send.sampleText,
  inbox: emptyInbox,
};

/** Example recipients, so that the first test send succeeds without typing. */
export const samples: Record<Channel, string> = {
  email: 'delivered@sandbox.test',
  sms: '+15005550006',
  in_app: 'user-1',
  webhook: 'https://example.com/hooks/carillon',
  chatone: '',
  chattwo: '',
  chatthree: '',
};

export function requestOf(draft: Draft, isTemplate: boolean, data: Record<string, unknown>): SendRequest {
  const { channel, template, subject, words } = draft;
  const fields: SendFields = {
    channel,
    recipient: recipientOf(channel, draft.recipient.trim()),
    ...(isTemplate ? { template_key: template, template_data: data } : wordsOf(channel, subject, words)),
    ...(channel === 'in_app' && inboxOf(draft.inbox)),
  };
  return fields as SendRequest; // the form asks for what the channel needs, and the service names what is missing
}

/** The inbox takes HTML only. */
function wordsOf(channel: Channel, subject: string, words: string): Partial<SendFields> {
  if (channel !== 'in_app') return { subject, text_body: words };
  const escaped = words.replaceAll(/[&<>]/g, (character) => `&#${character.codePointAt(0)};`);
  return { subject, html_body: escaped && `<p>${escaped.replaceAll('\n', '<br>')}</p>` };
}

function recipientOf(channel: Channel, text: string): SendFields['recipient'] {
  switch (channel) {
    case 'in_app':
      return { external_user_id: text };
    case 'chatone':
      return /^[uw]/i.test(text) ? { chatone_user_id: text } : { chatone_channel_id: text };
    case 'chattwo':
    case 'chatthree':
      return { endpoint: text };
    default:
      return { address: text };
  }
}

/** Returns null for a text that is no JSON object. */
export function parseData(source: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(source.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
