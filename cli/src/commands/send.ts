import { basename, extname } from 'node:path';
import type { Notification, SendRequest } from '@carillon/sdk';
import { channels, titleOf } from '../channels.ts';
import { type Context, command } from '../command.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { choiceOf, isObject, jsonOf, numberOf, readFileOf } from '../input.ts';
import { plain, statusStyle } from '../style.ts';

const priorities = ['critical', 'normal', 'bulk'] as const;

const mediaTypes: Record<string, string> = {
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.html': 'text/html',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ics': 'text/calendar',
};

export const send = command({
  name: 'send',
  summary: 'Send a notification on any channel',
  details:
    'Use flags, or pass the whole request as JSON with --data; flags override fields of --data. JSON values accept @path\n' +
    '(a file) and - (standard input). With a Test key, messages go to the sandbox.',
  options: {
    channel: {
      type: 'string',
      short: 'c',
      value: 'channel',
      choices: channels,
      description: 'Default: email',
    },
    to: { type: 'string', short: 't', value: 'address', description: 'Address, number, URL or user id' },
    user: { type: 'string', value: 'id', description: 'User id in your application' },
    name: { type: 'string', value: 'name', description: 'Recipient name' },
    endpoint: {
      type: 'string',
      value: 'key',
      description:
        'Key of a Microsoft Teams (chattwo), Discord (chatthree) or webhook endpoint, or a Slack installation',
    },
    'chatone-user': { type: 'string', value: 'id', description: 'Slack user (U…), for a direct message' },
    'chatone-channel': { type: 'string', value: 'id', description: 'Slack channel (C…)' },
    subject: { type: 'string', short: 's', value: 'text', description: 'Subject or title' },
    text: { type: 'string', value: 'text', description: 'Text body' },
    html: { type: 'string', value: 'html', description: 'HTML body' },
    'text-file': { type: 'string', value: 'path', description: 'Text body from a file' },
    'html-file': { type: 'string', value: 'path', description: 'HTML body from a file' },
    template: { type: 'string', value: 'key', description: 'Template to use instead of bodies' },
    'template-data': { type: 'string', value: 'json', description: 'JSON, @path or -' },
    category: { type: 'string', value: 'key', description: 'Category of the notification' },
    priority: { type: 'string', value: 'priority', choices: priorities, description: 'Default: normal' },
    'action-url': { type: 'string', value: 'url', description: 'URL opened on click' },
    tag: { type: 'string', value: 'tag', multiple: true, description: 'Tag of an inbox item' },
    action: {
      type: 'string',
      value: 'key=label',
      multiple: true,
      description: 'Button of an inbox item, at most two; key=label=url for one that leads to a page',
    },
    'send-at': { type: 'string', value: 'time', description: 'ISO 8601 time. Default: now' },
    'from-name': { type: 'string', value: 'name', description: 'Sender name' },
    'reply-to': { type: 'string', value: 'address', description: 'Reply-to address' },
    attach: { type: 'string', value: 'path', multiple: true, description: 'A file' },
    'idempotency-key': { type: 'string', value: 'key', description: 'Prevents duplicate sends' },
    data: { type: 'string', short: 'd', value: 'json', description: 'Request as JSON, @path or -' },
    wait: {
      type: 'boolean',
      short: 'w',
      description: 'Wait until delivered or failed, or until it is known to wait for longer',
    },
    timeout: { type: 'string', value: 'seconds', description: 'Timeout of --wait. Default: 60' },
  },
  examples: [
    {
      command:
        'carillon send --to delivered@sandbox.test --subject Hello --text "Hello from Carillon." --wait',
      says: 'send an email and wait for the result',
    },
    {
      command: `carillon send --to ada@example.com --template order-shipped --template-data '{"order":{"id":"A-1"}}'`,
      says: 'send with a template',
    },
    {
      command: 'carillon send --channel sms --to +15005550006 --text "Your code is 1234"',
      says: 'send an SMS',
    },
    {
      command:
        'carillon send --channel in_app --user user-1 --html "<p>Order 7</p>" --tag orders --action approve=Approve --action decline=Decline',
      says: 'send an inbox item with buttons',
    },
    { command: 'carillon send --data @request.json', says: 'send a request body from a file' },
  ],
  async run(context, values) {
    const { io, client } = context;
    const seconds = numberOf(values.timeout, '--timeout', 1, 86_400) ?? 60;
    if (values.data === '-' && values['template-data'] === '-')
      throw usageError('Only one of --data and --template-data can read standard input.');
    const data = values.data === undefined ? {} : await jsonOf(io, values.data, '--data');
    const { recipient = {}, ...rest } = data;
    if (!isObject(recipient)) throw usageError('--data: recipient must be an object.');
    const file = (path: string | undefined, flag: string) =>
      path === undefined ? undefined : readFileOf(io, path, flag).toString('utf8');
    const request = {
      ...rest,
      ...given({
        channel:
          choiceOf(values.channel, channels, '--channel') ??
          (data.channel === undefined ? 'email' : undefined),
        subject: values.subject,
        text_body: values.text ?? file(values['text-file'], '--text-file'),
        html_body: values.html ?? file(values['html-file'], '--html-file'),
        template_key: values.template,
        template_data:
          values['template-data'] === undefined
            ? undefined
            : await jsonOf(io, values['template-data'], '--template-data'),
        category: values.category,
        priority: choiceOf(values.priority, priorities, '--priority'),
        action_url: values['action-url'],
        tags: values.tag,
        actions: values.action?.map(actionOf),
        send_at: values['send-at'],
        from_name: values['from-name'],
        reply_to: values['reply-to'],
        attachments: values.attach?.map((path) => attachment(context, path)),
      }),
      recipient: {
        ...recipient,
        ...given({
          address: values.to,
          external_user_id: values.user,
          name: values.name,
          endpoint: values.endpoint,
          chatone_user_id: values['chatone-user'],
          chatone_channel_id: values['chatone-channel'],
        }),
      },
    };
    // The service checks every field, and says which is wrong.
    const sent = await client().notifications.send(request as SendRequest, {
      idempotency_key: values['idempotency-key'],
    });
    const seen = values.wait ? await settled(context, sent, seconds) : sent;
    show(context, seen, context.json ? null : await waitReason(context, seen));
    return values.wait && !good.includes(seen.status) ? exitCodes.failure : exitCodes.ok;
  },
});

function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}

/** The service checks the parts. A URL may contain more equals signs. */
function actionOf(text: string) {
  const [key = '', label, ...url] = text.split('=');
  if (!label) throw usageError('--action must be key=label or key=label=url.');
  return { key, label, ...(url.length > 0 && { url: url.join('=') }) };
}

function attachment({ io }: Context, path: string) {
  return {
    filename: basename(path),
    content_type: mediaTypes[extname(path).toLowerCase()] ?? 'application/octet-stream',
    content_base64: readFileOf(io, path, '--attach').toString('base64'),
  };
}

const good: readonly string[] = ['sent', 'delivered'];
/** `sent` is not the end where the provider tells of the delivery, so it is given a moment. */
const final: readonly string[] = ['delivered', 'failed', 'bounced', 'complained', 'suppressed'];

async function settled({ io, client }: Context, sent: Notification, seconds: number): Promise<Notification> {
  const end = Date.now() + seconds * 1000;
  const never = new AbortController().signal;
  for (let seen = sent, waitMs = 100; ; waitMs = Math.min(2000, waitMs * 1.5)) {
    if (final.includes(seen.status)) return seen;
    if (isPutOff(seen) && (await nextAttemptOf({ client }, seen)) >= end) return seen;
    if (Date.now() >= end) {
      if (seen.status === 'sent') return seen;
      throw new CliError(`${seen.id} is still ${seen.status} after ${seconds} s.`, {
        hint: `Follow it with: carillon trace ${seen.id}`,
      });
    }
    io.progress(`${seen.status}…`);
    await io.sleep(Math.min(waitMs, Math.max(1, end - Date.now())), never);
    seen = await client().notifications.get(seen.id);
  }
}

/** Something puts the send off to a known time, which may be days ahead; retries and throttling follow within the wait. */
const isPutOff = ({ status, status_detail: detail }: Notification): boolean =>
  status === 'queued' && ['scheduled', 'held', 'paused', 'quiet_hours'].includes(detail ?? '');

/** A send that is claimed between the two reads has no next attempt. */
async function nextAttemptOf({ client }: Pick<Context, 'client'>, { id }: Notification): Promise<number> {
  const { next_attempt_at: at } = await client().notifications.trace(id);
  return at === null ? 0 : Date.parse(at);
}

/** Why a notification waits: the rule and until when; null when there is nothing to say. */
async function waitReason({ client }: Context, seen: Notification): Promise<string | null> {
  if (!isPutOff(seen)) return null;
  if (seen.status_detail === 'scheduled') return `Scheduled for ${seen.send_at}.`;
  return (await client().notifications.trace(seen.id)).summary;
}

function show({ io, json, style }: Context, notification: Notification, waitReason: string | null) {
  if (json) return io.out(JSON.stringify(notification));
  const { id, status, status_detail, channel, recipient, last_error, suppression_reason } = notification;
  const state =
    statusStyle(style, status) +
    (waitReason && status_detail ? ` (${status_detail.replaceAll('_', ' ')})` : '');
  io.out(`${state}  ${titleOf(channel)} to ${plain(recipient.address)}  ${style('dim', id)}`);
  const reason = waitReason ?? last_error ?? suppression_reason;
  if (reason) io.out(`  ${plain(reason)}`);
  io.err(style('dim', `Follow it with: carillon trace ${id}`));
}
