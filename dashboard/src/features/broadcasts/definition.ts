import type { BroadcastInput } from '@carillon/sdk';
import { broadcasts } from '../../strings/broadcasts.ts';
import { emptyInbox, type InboxDraft, inboxOf, isInboxWrong } from '../../ui/index.ts';
import { emptyRow, type FilterRow, filterOf, problemOfRows } from './filter-rows.ts';

const text = broadcasts.form;

export const broadcastChannels = ['email', 'sms', 'in_app', 'chatone'] as const;
type BroadcastChannel = (typeof broadcastChannels)[number];

/** The form of a broadcast as it is typed. */
export interface BroadcastDraft {
  name: string;
  audience: 'topic' | 'filter' | 'all';
  topic: string;
  filter: readonly FilterRow[];
  channels: readonly BroadcastChannel[];
  content: 'template' | 'inline';
  template: string;
  subject: string;
  body: string;
  /** For in_app only. */
  inbox: InboxDraft;
  category: string;
  when: 'now' | 'at' | 'local';
  time: string;
  rate: string;
}

export function emptyDraft(topic: string): BroadcastDraft {
  return {
    name: '',
    audience: 'topic',
    topic,
    filter: [emptyRow()],
    channels: ['email'],
    content: 'template',
    template: '',
    subject: '',
    body: '',
    inbox: emptyInbox,
    category: '',
    when: 'now',
    time: '',
    rate: '',
  };
}

export const isInApp = ({ channels }: BroadcastDraft): boolean => channels.includes('in_app');

/** The problem of each field; null when there is none. */
export function problemsOf(draft: BroadcastDraft) {
  const { audience, content, when } = draft;
  const rate = Number(draft.rate);
  return {
    name: draft.name.trim() === '' ? text.nameNeeded : null,
    topic: audience === 'topic' && draft.topic.trim() === '' ? text.topicNeeded : null,
    filter: audience === 'filter' ? problemOfRows(draft.filter) : null,
    channels: draft.channels.length === 0 ? text.channelsNeeded : null,
    template: content === 'template' && draft.template.trim() === '' ? text.templateNeeded : null,
    body: content === 'inline' && draft.body.trim() === '' ? text.textNeeded : null,
    time: when !== 'now' && draft.time === '' ? text.timeNeeded : null,
    rate: draft.rate !== '' && (!Number.isInteger(rate) || rate < 1 || rate > 5_000) ? text.rateWrong : null,
  };
}

export function isWrong(draft: BroadcastDraft): boolean {
  return (
    Object.values(problemsOf(draft)).some((problem) => problem !== null) ||
    (isInApp(draft) && isInboxWrong(draft.inbox))
  );
}

/** The request of a draft without problems. */
export function definitionOf(draft: BroadcastDraft, confirm: boolean): BroadcastInput {
  const { audience, content, when, time } = draft;
  return {
    name: draft.name.trim(),
    channels: [...draft.channels],
    audience: {
      ...(audience === 'topic' && { topic: draft.topic.trim() }),
      ...(audience === 'filter' && { filter: filterOf(draft.filter) }),
      ...(audience === 'all' && { all: true }),
      ...(confirm && { confirm }),
    },
    ...(content === 'template'
      ? { template_key: draft.template.trim() }
      : { subject: draft.subject, text_body: draft.body, html_body: htmlOf(draft.body) }),
    ...(isInApp(draft) && inboxOf(draft.inbox)),
    ...(draft.category !== '' && { category: draft.category }),
    ...(when === 'at' && { send_at: new Date(time).toISOString() }),
    ...(when === 'local' && { send_at_local: time.slice(0, 16) }),
    ...(draft.rate !== '' && { rate_per_second: Number(draft.rate) }),
  };
}

/** The inbox shows HTML only: the text as it was typed, in paragraphs. */
function htmlOf(body: string): string {
  const escaped = body.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('');
}
