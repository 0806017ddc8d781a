import type { BulkAction, BulkPreview, CancelRequest, RedriveRequest } from '@carillon/sdk';
import { channels, serviceName } from '../channels.ts';
import { type Command, type Context, command } from '../command.ts';
import { exitCodes, usageError } from '../errors.ts';
import { choiceOf, confirmed } from '../input.ts';
import { countOf, plain, progressBar, type Style, table } from '../style.ts';

const filterOptions = {
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
  broadcast: { type: 'string', value: 'id', description: 'Only of this broadcast' },
  provider: { type: 'string', value: 'name', description: 'Only last attempted with this provider' },
  reason: { type: 'string', value: 'text', description: 'Only with this text in the error' },
  after: { type: 'string', value: 'time', description: 'Only created after this ISO 8601 time' },
  before: { type: 'string', value: 'time', description: 'Only created before this ISO 8601 time' },
  all: { type: 'boolean', description: 'Required when no other filter is set' },
} as const;

const actionOptions = {
  'dry-run': { type: 'boolean', description: 'Show the preview, change nothing' },
  yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' },
  watch: { type: 'string', value: 'id', description: 'Show the progress of an action that runs' },
  stop: { type: 'string', value: 'id', description: 'Stop an action; what is done stays done' },
} as const;

const redriveStatuses = ['failed', 'bounced'] as const;

const details =
  'Shows how many notifications match and asks before it starts. The action runs in the service: Ctrl-C ends only the\n' +
  'progress bar. Notifications accepted after the preview are left alone.';

export const bulkActionCommands: readonly Command[] = [
  command({
    name: 'redrive',
    summary: 'Send failed or bounced notifications again',
    details,
    options: {
      status: {
        type: 'string',
        value: 'status',
        choices: redriveStatuses,
        description: 'Default: failed',
      },
      ...filterOptions,
      ...actionOptions,
    },
    examples: [
      { command: 'carillon redrive --reason timeout --after 2026-03-01T08:00:00Z', says: 'after an outage' },
      { command: 'carillon redrive --provider ses --dry-run', says: 'only show what would be sent' },
    ],
    run(context, values) {
      const status = choiceOf(values.status, redriveStatuses, '--status');
      const filter = { ...filterOf(values), ...(status && { status }) };
      const { notifications } = context.client();
      return perform(context, values, {
        name: 'redrive',
        question: (count) => `Send ${count} again?`,
        preview: () => notifications.redrive({ filter }),
        start: (confirm_token) => notifications.redrive({ filter, confirm_token }),
      });
    },
  }),
  command({
    name: 'cancel',
    summary: 'Cancel queued notifications, so that they are never sent',
    details,
    options: { ...filterOptions, ...actionOptions },
    examples: [
      { command: 'carillon cancel --template spring-sale', says: 'everything of a template' },
      { command: 'carillon cancel --channel sms --yes', says: 'every queued SMS, without a prompt' },
    ],
    run(context, values) {
      const filter = filterOf(values);
      const { notifications } = context.client();
      return perform(context, values, {
        name: 'cancel',
        question: (count) => `Cancel ${count}?`,
        preview: () => notifications.cancel({ filter }),
        start: (confirm_token) => notifications.cancel({ filter, confirm_token }),
      });
    },
  }),
];

interface FilterValues {
  channel?: string | undefined;
  category?: string | undefined;
  template?: string | undefined;
  to?: string | undefined;
  user?: string | undefined;
  broadcast?: string | undefined;
  provider?: string | undefined;
  reason?: string | undefined;
  after?: string | undefined;
  before?: string | undefined;
  all?: boolean | undefined;
}

function filterOf(values: FilterValues): CancelRequest['filter'] & RedriveRequest['filter'] {
  return {
    channel: choiceOf(values.channel, channels, '--channel'),
    category: values.category,
    template_key: values.template,
    recipient: values.to,
    external_user_id: values.user,
    broadcast_id: values.broadcast,
    provider: values.provider,
    reason: values.reason,
    created_after: values.after,
    created_before: values.before,
    all: values.all,
  };
}

const doneWords: Record<BulkAction['action'], string> = { redrive: 'redriven', cancel: 'cancelled' };

interface Action {
  name: BulkAction['action'];
  question(count: string): string;
  preview(): Promise<BulkPreview>;
  start(confirmToken: string): Promise<BulkAction>;
}

interface ActionValues extends FilterValues {
  'dry-run'?: boolean | undefined;
  yes?: boolean | undefined;
  watch?: string | undefined;
  stop?: string | undefined;
}

async function perform(context: Context, values: ActionValues, action: Action): Promise<number> {
  const { io, json, client } = context;
  if (values.watch !== undefined && values.stop !== undefined)
    throw usageError('Set --watch or --stop, not both.');
  if (values.stop !== undefined) return end(context, await client().bulkActions.cancel(values.stop));
  if (values.watch !== undefined)
    return watch(context, action.name, await client().bulkActions.get(values.watch));

  io.progress('counting…');
  const preview = await action.preview();
  const count = `${preview.count_is_exact ? '' : 'more than '}${countOf(preview.count, 'notification')}`;
  if (!json) showPreview(context, preview, count);
  if (values['dry-run'] || preview.count === 0) {
    if (json) io.out(JSON.stringify({ ...preview, confirm_token: undefined }));
    return exitCodes.ok;
  }
  if (!(await confirmed(io, action.question(count), values.yes))) {
    io.err('Nothing was started.');
    return exitCodes.ok;
  }
  return watch(context, action.name, await action.start(preview.confirm_token));
}

function showPreview({ io, style }: Context, { sample, count }: BulkPreview, counted: string): void {
  const shown = count === 0 ? '.' : sample.length < count ? '; the newest:' : ':';
  io.out(`${counted} ${count === 1 ? 'matches' : 'match'}${shown}`);
  if (count === 0) return;
  const rows = sample.map(({ id, channel, recipient, template_key, last_error }) => [
    style('dim', id),
    serviceName(channel),
    plain(recipient, 40),
    plain(template_key, 30),
    plain(last_error, 60),
  ]);
  io.out(table(rows));
}

const everyMs = 500;

/** Shows the progress until the action ends, or Ctrl-C. */
async function watch(context: Context, command: Action['name'], started: BulkAction): Promise<number> {
  const { io, style, client } = context;
  const interrupt = new AbortController();
  const off = io.onInterrupt(() => interrupt.abort());
  let seen = started;
  try {
    while (seen.status === 'running') {
      io.progress(barOf(seen, style));
      await io.sleep(everyMs, interrupt.signal);
      seen = await client().bulkActions.get(seen.id, { signal: interrupt.signal });
    }
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    const again = (flag: string) => `carillon ${command} ${flag} ${seen.id}`;
    io.err(`The action goes on in the service. Watch it: ${again('--watch')} · stop it: ${again('--stop')}`);
    return exitCodes.interrupted;
  } finally {
    off();
  }
  return end(context, seen);
}

function end({ io, json, style }: Context, ended: BulkAction): number {
  if (json) io.out(JSON.stringify(ended));
  const { status, done, skipped } = ended;
  const counts = `${countOf(done, 'notification')} ${doneWords[ended.action]}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  if (!json)
    io.out(
      status === 'cancelled'
        ? `${style('yellow', 'stopped')}  ${counts}`
        : `${style('green', '✓')} ${counts}`,
    );
  return exitCodes.ok;
}

function barOf({ action, total, done, skipped, estimated_end_at }: BulkAction, style: Style): string {
  const worked = done + skipped;
  if (!total) return `${done} ${doneWords[action]}, ${skipped} skipped…`;
  const left =
    estimated_end_at === null ? '' : `, ${remaining(Date.parse(estimated_end_at) - Date.now())} left`;
  return `${progressBar(worked, total, style)} ${worked} of ${total}${left}`;
}

function remaining(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
