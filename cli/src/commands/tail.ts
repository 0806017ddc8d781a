import {
  CarillonError,
  ConnectionError,
  type ListNotificationsParams,
  type Notification,
} from '@carillon/sdk';
import { type Context, command } from '../command.ts';
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
const channels = ['email', 'in_app', 'webhook', 'sms', 'chatone', 'chattwo', 'chatthree'] as const;

/** A notification may become visible a moment after one that is younger. */
const overlapMs = 5_000;
/** How far back a notification is watched for further events. */
const watchedMs = 15 * 60_000;
const mostPages = 10;

export const tail = command({
  name: 'tail',
  summary: 'Watch notifications and what happens to them, live',
  details: 'Begins with the latest ones, then goes on until Ctrl-C. With --json: one event a line.',
  options: {
    lines: {
      type: 'string',
      short: 'n',
      value: 'count',
      description: 'How many to begin with; 10 unless told',
    },
    status: { type: 'string', value: 'status', choices: statuses, description: 'Only with this status now' },
    channel: {
      type: 'string',
      short: 'c',
      value: 'channel',
      choices: channels,
      description: 'Only of this channel',
    },
    category: { type: 'string', value: 'key', description: 'Only of this category' },
    template: { type: 'string', value: 'key', description: 'Only of this template' },
    to: { type: 'string', value: 'address', description: 'Only to this address' },
    user: { type: 'string', value: 'id', description: 'Only to this user' },
    interval: { type: 'string', value: 'ms', description: 'Between two looks; 1000 unless told' },
    once: { type: 'boolean', description: 'Show the latest and end' },
  },
  examples: [
    { command: 'carillon tail', says: 'everything in the environment' },
    { command: 'carillon tail --channel email --status bounced', says: 'emails that bounce' },
    { command: 'carillon tail --json | jq -r .detail', says: 'for programs' },
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
    const follower = createFollower((notification, event) => show(context, notification, event));
    const { data } = await context
      .client()
      .notifications.list({ ...filters, limit: Math.max(1, lines) })
      .page();
    follower.see(data, lines > 0);
    if (values.once) return;
    const stop = new AbortController();
    const done = io.onInterrupt(() => stop.abort());
    const since = data[0]?.created_at ?? new Date(Date.now() - overlapMs).toISOString();
    let failing = false;
    while (!stop.signal.aborted) {
      try {
        await io.sleep(intervalMs, stop.signal);
        follower.see(await recent(context, filters, follower.from(since), stop.signal), true);
        if (failing) io.err(style('dim', 'the service answers again'));
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

function mayPass(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof CarillonError && (error.status ?? 500) >= 429);
}

async function recent(
  { client, io }: Context,
  filters: ListNotificationsParams,
  created_after: string,
  signal: AbortSignal,
): Promise<Notification[]> {
  const found: Notification[] = [];
  let pages = 0;
  const list = client().notifications.list({ ...filters, created_after, limit: 100 }, { signal });
  for await (const page of list.pages()) {
    found.push(...page.data);
    pages += 1;
    if (pages < mostPages || page.next_cursor === null) continue;
    io.err(`… more than ${found.length} at once: some are left out. Filters help.`);
    break;
  }
  return found;
}

type Event = Notification['events'][number];

/** Remembers what was shown, so that each event is shown once, the oldest first. */
function createFollower(show: (notification: Notification, event: Event) => void) {
  const seen = new Map<string, { createdMs: number; events: number; live: boolean }>();
  const live: readonly string[] = ['queued', 'sending', 'sent'];
  return {
    see(notifications: Notification[], shown: boolean): void {
      const fresh: { notification: Notification; event: Event }[] = [];
      for (const notification of notifications) {
        const { id, events, status, created_at } = notification;
        const from = seen.get(id)?.events ?? 0;
        for (const event of events.slice(from)) fresh.push({ notification, event });
        seen.set(id, {
          createdMs: Date.parse(created_at),
          events: events.length,
          live: live.includes(status),
        });
      }
      fresh.sort((one, other) => (one.event.occurred_at < other.event.occurred_at ? -1 : 1));
      if (shown) for (const { notification, event } of fresh) show(notification, event);
    },
    /** Everything younger than this is to be looked at again. By the service's clock, which may differ from ours. */
    from(since: string): string {
      const newest = Math.max(Date.parse(since), ...[...seen.values()].map(({ createdMs }) => createdMs));
      let oldest = newest - overlapMs;
      for (const [id, { createdMs, live }] of seen) {
        if (createdMs < newest - watchedMs) seen.delete(id);
        else if (live) oldest = Math.min(oldest, createdMs - 1);
      }
      return new Date(oldest).toISOString();
    },
  };
}

function show({ io, json, style }: Context, notification: Notification, event: Event) {
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
      channel.padEnd(9),
      plain(recipient.address, 40).padEnd(24),
      style('dim', id),
      plain(about),
    ]
      .join(' ')
      .trimEnd(),
  );
}
