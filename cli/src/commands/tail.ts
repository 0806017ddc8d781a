import { CarillonError, type ListNotificationsParams, NotFoundError, type Notification } from '@carillon/sdk';
import { channels, serviceName } from '../channels.ts';
import { type Context, command } from '../command.ts';
import { type ActivityEvent, createFollower, type Follower } from '../follower.ts';
import { choiceOf, numberOf } from '../input.ts';
import { plain, statusStyle } from '../style.ts';

const statuses = [
  'queued',
  'sending',
  'sent',
  'failed',
  'suppressed',
  'delivered',
  'bounced',
  'complained',
] as const;

/** Of new ones, at one look. */
const mostPages = 10;
/** Of those seen before, at one look. */
const mostAgain = 10;
/** What was delivered may yet be opened, clicked or complained about: so many of the latest are read again at every tenth look. */
const latestAgain = 100;
const looksBetween = 10;

export const tail = command({
  name: 'tail',
  summary: 'Stream notifications and their events',
  details:
    'Starts with the latest notifications and runs until Ctrl-C. With --json, prints one event per line.',
  options: {
    lines: {
      type: 'string',
      short: 'n',
      value: 'count',
      description: 'Number of latest notifications. Default: 10',
    },
    status: { type: 'string', value: 'status', choices: statuses, description: 'Only this current status' },
    channel: {
      type: 'string',
      short: 'c',
      value: 'channel',
      choices: channels,
      description: 'Only this channel',
    },
    category: { type: 'string', value: 'key', description: 'Only this category' },
    template: { type: 'string', value: 'key', description: 'Only this template' },
    to: { type: 'string', value: 'address', description: 'Only to this address' },
    user: { type: 'string', value: 'id', description: 'Only to this user' },
    interval: { type: 'string', value: 'ms', description: 'Polling interval. Default: 1000' },
    once: { type: 'boolean', description: 'Show the latest and exit' },
  },
  examples: [
    { command: 'carillon tail', says: 'everything in the environment' },
    { command: 'carillon tail --channel email --status bounced', says: 'bounced emails' },
    { command: 'carillon tail --json | jq -r .detail', says: 'for scripts' },
  ],
  async run(context, values) {
    const { io, style } = context;
    const filters: ListNotificationsParams = {
      status: choiceOf(values.status, statuses, '--status'),
      channel: choiceOf(values.channel, channels, '--channel'),
      category: values.category,
      template_key: values.template,
      recipient: values.to,
      external_user_id: values.user,
    };
    const lines = numberOf(values.lines, '--lines', 0, 100) ?? 10;
    const intervalMs = numberOf(values.interval, '--interval', 50, 60_000) ?? 1000;
    const show = (activityEvents: ActivityEvent[]) => {
      for (const each of activityEvents) showEvent(context, each);
    };
    const stop = new AbortController();
    const latest = async (limit: number): Promise<Notification[]> => {
      const { notifications } = context.client();
      return (await notifications.list({ ...filters, limit }, { signal: stop.signal }).page()).data;
    };
    const first = await latest(Math.max(1, lines));
    const oldest = lines === 0 ? first[0] : first.at(-1);
    const follower = createFollower(
      oldest ?? { id: '', created_at: new Date(Date.now() - 60_000).toISOString() },
    );
    const happened = follower.see(first);
    if (lines > 0) show(happened);
    if (values.once) return;
    const done = io.onInterrupt(() => stop.abort());
    let failing = false;
    for (let looks = 1; !stop.signal.aborted; looks++) {
      try {
        await io.sleep(intervalMs, stop.signal);
        const found = await look(context, filters, follower, stop.signal);
        if (looks % looksBetween === 0) found.push(...(await latest(latestAgain)));
        show(follower.see(found));
        if (failing) io.err(style('dim', 'Reconnected.'));
        failing = false;
      } catch (error) {
        if (stop.signal.aborted) break;
        if (!mayPass(error)) throw error;
        if (!failing) io.err(style('yellow', `${(error as Error).message} Trying again…`));
        failing = true;
      }
    }
    done();
  },
});

/** Retryable: no response, rate limited, or a server error. */
function mayPass(error: unknown): boolean {
  return (
    error instanceof CarillonError && (error.status === null || error.status === 429 || error.status >= 500)
  );
}

/** What is new, and news of what is not settled yet. */
async function look(
  { client, io }: Context,
  filters: ListNotificationsParams,
  follower: Follower,
  signal: AbortSignal,
): Promise<Notification[]> {
  const { notifications } = client();
  const found: Notification[] = [];
  let pages = 0;
  const created = { created_after: follower.since(), limit: 100 };
  for await (const page of notifications.list({ ...filters, ...created }, { signal }).pages()) {
    found.push(...page.data);
    pages += 1;
    if (pages < mostPages || page.next_cursor === null) continue;
    io.err(`… more than ${found.length} at once: some are not shown. Use filters.`);
    break;
  }
  for (const id of follower.unsettled(mostAgain)) {
    try {
      found.push(await notifications.get(id, { signal }));
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      follower.forget(id); // deleted meanwhile
    }
  }
  return found;
}

function showEvent({ io, json, style }: Context, { notification, event }: ActivityEvent) {
  const { id, channel, recipient, status, subject, template_key } = notification;
  if (json) {
    const line = { notification_id: id, channel, recipient: recipient.address, status, ...event };
    return io.out(JSON.stringify(line));
  }
  const about = event.detail ?? subject ?? template_key;
  io.out(
    [
      style('dim', event.occurred_at.slice(11, 23)),
      statusStyle(style, event.type.padEnd(13)),
      serviceName(channel).padEnd(15),
      plain(recipient.address, 40).padEnd(24),
      style('dim', id),
      plain(about),
    ]
      .join(' ')
      .trimEnd(),
  );
}
