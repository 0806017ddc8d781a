import type { Broadcast, BroadcastDryRun, BroadcastInput } from '@carillon/sdk';
import { type Command, type Context, command } from '../command.ts';
import { exitCodes, usageError } from '../errors.ts';
import { choiceOf, confirmed, isObject, jsonOf, numberOf } from '../input.ts';
import { countOf, plain, progressBar, statusStyle, table } from '../style.ts';

const channels = ['email', 'sms', 'in_app', 'chatone'] as const;
const intervalMs = 1_000;

const number = (value: number): string => value.toLocaleString('en');

const summaries = {
  pause: 'Pause a broadcast',
  resume: 'Resume a paused broadcast',
  cancel: 'Cancel a broadcast',
} as const;
const examples = {
  pause: 'what is in the queue waits',
  resume: 'continue where it was paused',
  cancel: 'what is in the queue is not sent',
} as const;

export const broadcastCommands: readonly Command[] = [
  command({
    name: 'broadcast start',
    summary: 'Send to a topic, a filter or all users',
    details:
      'Makes a dry run, shows what would be sent and asks for confirmation. Use flags, or pass the whole request as JSON with\n' +
      '--data; flags override fields of --data. JSON values accept @path (a file) and - (standard input).',
    options: {
      name: { type: 'string', value: 'text', description: 'Name of the broadcast' },
      topic: { type: 'string', value: 'key', description: 'To the users who follow this topic' },
      filter: { type: 'string', value: 'json', description: 'To the users who match: JSON, @path or -' },
      all: { type: 'boolean', description: 'To all users' },
      channel: {
        type: 'string',
        short: 'c',
        value: 'channel',
        choices: channels,
        multiple: true,
        description: 'Channels in order of preference. Default: email',
      },
      template: { type: 'string', value: 'key', description: 'Template to use instead of bodies' },
      'template-data': { type: 'string', value: 'json', description: 'JSON, @path or -' },
      subject: { type: 'string', short: 's', value: 'text', description: 'Subject or title' },
      text: { type: 'string', value: 'text', description: 'Text body' },
      html: { type: 'string', value: 'html', description: 'HTML body' },
      category: { type: 'string', value: 'key', description: 'Category of the notifications' },
      'send-at': { type: 'string', value: 'time', description: 'ISO 8601 time. Default: now' },
      'send-at-local': {
        type: 'string',
        value: 'time',
        description: 'In each user’s time zone: 2026-03-29T09:00',
      },
      timezone: { type: 'string', value: 'zone', description: 'Of users without one. Default: UTC' },
      rate: { type: 'string', value: 'count', description: 'Most notifications a second' },
      data: { type: 'string', short: 'd', value: 'json', description: 'Request as JSON, @path or -' },
      'idempotency-key': { type: 'string', value: 'key', description: 'Prevents a second start' },
      'dry-run': { type: 'boolean', description: 'Show what would be sent, send nothing' },
      watch: { type: 'boolean', short: 'w', description: 'Show the progress until the end' },
      yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' },
    },
    examples: [
      {
        command:
          'carillon broadcast start --name "Release 4.2" --topic release_notes --template release --watch',
        says: 'to everyone who follows a topic',
      },
      {
        command: 'carillon broadcast start --data @broadcast.json --dry-run',
        says: 'show what would be sent',
      },
    ],
    async run(context, values) {
      const { io, client, json, style } = context;
      const data = values.data === undefined ? {} : await jsonOf(io, values.data, '--data');
      const filter = values.filter === undefined ? undefined : await jsonOf(io, values.filter, '--filter');
      const chosen = values.channel?.flatMap((channel) => choiceOf(channel, channels, '--channel') ?? []);
      const audience = audienceOf(data.audience, { topic: values.topic, filter, all: values.all });
      const request = {
        ...data,
        ...given({
          name: values.name,
          channels: chosen ?? (data.channels === undefined ? ['email'] : undefined),
          template_key: values.template,
          template_data:
            values['template-data'] === undefined
              ? undefined
              : await jsonOf(io, values['template-data'], '--template-data'),
          subject: values.subject,
          text_body: values.text,
          html_body: values.html,
          category: values.category,
          send_at: values['send-at'],
          send_at_local: values['send-at-local'],
          timezone: values.timezone,
          rate_per_second: numberOf(values.rate, '--rate', 1, 5_000),
        }),
        audience,
      } as BroadcastInput; // the service checks every field, and says which is wrong
      io.progress('making a dry run…');
      const dryRun = await client().broadcasts.dryRun(request);
      if (values['dry-run'] && json) return io.out(JSON.stringify(dryRun));
      if (!json) for (const line of describe(dryRun)) io.out(line);
      if (values['dry-run']) return exitCodes.ok;
      // An environment without users has nobody to count as everybody, and `all` needs the confirmation nevertheless.
      const isEverybody = dryRun.is_everybody || request.audience.all === true;
      const whom = isEverybody
        ? style('bold', `everybody (${countOf(dryRun.count, 'user')})`)
        : countOf(dryRun.count, 'user');
      if (!(await confirmed(io, `Send to ${whom}?`, values.yes))) {
        io.err('Nothing was sent.');
        return exitCodes.ok;
      }
      const confirm = isEverybody ? { audience: { ...audience, confirm: true } } : {};
      const broadcast = await client().broadcasts.create(
        { ...request, ...confirm },
        { idempotency_key: values['idempotency-key'] },
      );
      return values.watch ? watch(context, broadcast) : show(context, broadcast);
    },
  }),
  command({
    name: 'broadcast watch',
    summary: 'Show the progress of a broadcast until its end',
    arguments: '<id>',
    takes: [1, 1],
    details:
      'Ends with 0 when the broadcast is done, and with 1 when it was cancelled. Ctrl-C stops watching, not the broadcast.',
    options: {},
    examples: [
      {
        command: 'carillon broadcast watch 0198c3a1-5a0e-7c4e-9d3b-2f6a1b7c8d9e',
        says: 'with a progress bar',
      },
    ],
    run: async (context, _values, [id = '']) => watch(context, await context.client().broadcasts.get(id)),
  }),
  command({
    name: 'broadcast list',
    summary: 'List broadcasts, newest first',
    options: {},
    examples: [{ command: 'carillon broadcast list', says: 'the latest hundred' }],
    async run({ io, json, client, style }) {
      const { data: broadcasts } = await client().broadcasts.list({ limit: 100 }).page();
      if (json) return io.out(JSON.stringify(broadcasts));
      if (broadcasts.length === 0) return io.out('No broadcasts.');
      io.out(
        table([
          ['ID', 'STATUS', 'DONE', 'NAME'].map((title) => style('dim', title)),
          ...broadcasts.map(({ id, status, progress, name }) => [
            id,
            statusStyle(style, status),
            `${number(progress.done)} of ${number(progress.total)}`,
            plain(name, 60),
          ]),
        ]),
      );
    },
  }),
  ...(['pause', 'resume', 'cancel'] as const).map((action) =>
    command({
      name: `broadcast ${action}`,
      summary: summaries[action],
      arguments: '<id>',
      takes: [1, 1],
      options: {},
      examples: [
        {
          command: `carillon broadcast ${action} 0198c3a1-5a0e-7c4e-9d3b-2f6a1b7c8d9e`,
          says: examples[action],
        },
      ],
      run: async (context, _values, [id = '']) =>
        show(context, await context.client().broadcasts[action](id)),
    }),
  ),
];

function audienceOf(
  data: unknown,
  flags: { topic: string | undefined; filter: Record<string, unknown> | undefined; all: boolean | undefined },
): BroadcastInput['audience'] {
  const chosen = given(flags);
  if (Object.keys(chosen).length > 0) return chosen as BroadcastInput['audience'];
  if (isObject(data)) return data as BroadcastInput['audience'];
  throw usageError('Choose an audience: --topic, --filter or --all.');
}

function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}

function describe(dryRun: BroadcastDryRun): string[] {
  const {
    count,
    checked,
    would_send,
    skipped,
    channels: byChannel,
    suppressed,
    delayed,
    held,
    samples,
  } = dryRun;
  const of = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([name, value]) => `${name} ${number(value)}`)
      .join(', ');
  const sample = checked < count ? ` (of a sample of ${number(checked)})` : '';
  const [first] = samples;
  return [
    `Audience    ${number(count)}${dryRun.is_capped ? ' or more' : ''} users${dryRun.is_everybody ? ', everybody' : ''}`,
    `Would send  ${number(would_send)}${sample}: ${of(byChannel)}`,
    ...(skipped > 0 ? [`No address  ${number(skipped)}`] : []),
    ...(Object.keys(suppressed).length > 0 ? [`Suppressed  ${of(suppressed)}`] : []),
    ...(Object.keys(delayed).length > 0 ? [`Delayed     ${of(delayed)}`] : []),
    ...(Object.keys(held).length > 0 ? [`Held        ${of(held)}`] : []),
    ...(first
      ? [
          `Sample      to ${plain(first.address, 60)}: ${plain(first.error ?? first.subject ?? first.text_body, 80)}`,
        ]
      : []),
  ];
}

/** A bar of which a terminal shows the latest state; elsewhere only the end is printed. */
async function watch(context: Context, started: Broadcast): Promise<number> {
  const { io, client } = context;
  const stop = new AbortController();
  const over = io.onInterrupt(() => stop.abort());
  let broadcast = started;
  while (!['done', 'cancelled'].includes(broadcast.status) && !stop.signal.aborted) {
    io.progress(barOf(broadcast));
    await io.sleep(intervalMs, stop.signal).catch(() => {});
    if (!stop.signal.aborted) broadcast = await client().broadcasts.get(broadcast.id);
  }
  over();
  show(context, broadcast);
  return broadcast.status === 'cancelled' ? exitCodes.failure : exitCodes.ok;
}

export function barOf({ status, progress: { done, total, estimated_end_at: end } }: Broadcast): string {
  const share = total === 0 ? 0 : done / total;
  const until = end ? ` · ends about ${new Date(end).toLocaleTimeString('en-GB')}` : '';
  return `${progressBar(done, total)} ${Math.floor(share * 100)} % · ${number(done)} of ${number(total)} · ${status}${until}`;
}

function show({ io, json, style }: Context, broadcast: Broadcast) {
  if (json) return io.out(JSON.stringify(broadcast));
  const { id, name, status, pause_reason, progress } = broadcast;
  const { done, total, skipped, counts } = progress;
  const byStatus = Object.entries(counts).map(([key, count]) => `${key} ${number(count)}`);
  const parts = [...byStatus, ...(skipped > 0 ? [`no address ${number(skipped)}`] : [])];
  io.out(`${statusStyle(style, status)} ${plain(name, 60)} ${style('dim', id)}`);
  io.out(`${number(done)} of ${number(total)}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`);
  if (pause_reason) io.out(plain(pause_reason));
}
