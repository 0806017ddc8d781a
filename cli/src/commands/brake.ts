import type { HoldRelease } from '@carillon/sdk';
import { channels } from '../channels.ts';
import { collect } from '../collect.ts';
import { type Command, type Context, command } from '../command.ts';
import { choiceOf, confirmed, numberOf } from '../input.ts';
import { countOf, plain, progressBar, table } from '../style.ts';

const channelArgument = { arguments: '[channel]', takes: [0, 1] as [number, number] };
const yes = { type: 'boolean', short: 'y', description: 'Skip the confirmation' } as const;
const noWait = { type: 'boolean', description: 'Do not wait for the end of the release' } as const;
const pollMs = 500;
/** Ctrl-C ends the command as usual: the release goes on in the service. */
const never = new AbortController().signal;

const freeze = command({
  ...channelArgument,
  name: 'freeze',
  summary: 'Hold everything but critical notifications, of one channel or of all',
  details: 'It takes effect within two seconds. New sends are accepted and held.',
  options: { reason: { type: 'string', value: 'text', description: 'Shown in traces and the dashboard' } },
  examples: [
    { command: 'carillon freeze', says: 'stop all channels now' },
    { command: 'carillon freeze sms --reason "A loop in the reminder job"', says: 'stop text messages' },
  ],
  async run({ io, json, client }, { reason }, [given]) {
    const channel = choiceOf(given, channels, 'The channel');
    const frozen = await client().brake.freeze({ channel: channel ?? null, reason: reason ?? null });
    if (json) return io.out(JSON.stringify(frozen));
    io.out(
      `Frozen since ${frozen.frozen_at}: ${frozen.channel ?? 'all channels'}. Critical notifications pass.`,
    );
  },
});

const unfreeze = command({
  ...channelArgument,
  name: 'unfreeze',
  summary: 'End a freeze and release what it held',
  details:
    'The oldest first, at most 500 a second. To drop held notifications, run `carillon brake cancel` before.',
  options: { yes, 'no-wait': noWait },
  examples: [{ command: 'carillon unfreeze sms', says: 'send text messages again' }],
  async run(context, { yes: isSure, 'no-wait': isBackground }, [given]) {
    const channel = choiceOf(given, channels, 'The channel') ?? null;
    const hold = `freeze:${channel ?? 'all'}`;
    const { held } = await context.client().brake.get();
    const count = held.find((each) => each.hold === hold)?.count ?? 0;
    const question = `Unfreeze ${channel ?? 'all channels'} and send ${countOf(count, 'held notification')}?`;
    if (!(await confirmed(context.io, question, isSure))) return;
    return follow(context, await context.client().brake.unfreeze({ channel }), isBackground);
  },
});

const status = command({
  name: 'brake status',
  summary: 'Show freezes, engaged rules and what is held',
  options: {},
  examples: [{ command: 'carillon brake status', says: 'is anything held?' }],
  async run({ io, json, client, style }) {
    const brake = await client().brake.get();
    if (json) return io.out(JSON.stringify(brake));
    for (const { channel, frozen_at, reason } of brake.freezes)
      io.out(
        `${style('red', 'frozen')}   ${channel ?? 'all channels'} since ${frozen_at} ${plain(reason)}`.trimEnd(),
      );
    for (const { rule, detail } of brake.engaged) io.out(`engaged  ${rule}  ${plain(detail)}`);
    for (const { hold, count, is_capped } of brake.held)
      io.out(`held     ${hold}  ${is_capped ? 'more than ' : ''}${count}`);
    for (const { id, hold, done, total } of brake.releases)
      io.out(`running  ${hold}  ${done} of ${total}  ${id}`);
    const all = [brake.freezes, brake.engaged, brake.held, brake.releases];
    if (all.every((each) => each.length === 0)) io.out('Nothing is frozen or held.');
  },
});

const holds = command({
  name: 'brake holds',
  summary: 'Show what is held, or what a release would send',
  arguments: '[hold]',
  takes: [0, 1],
  options: {},
  examples: [
    { command: 'carillon brake holds', says: 'one line for each rule' },
    { command: 'carillon brake holds repeated_messages', says: 'how many, to whom, what they say' },
  ],
  async run({ io, json, client }, _values, [hold]) {
    if (hold !== undefined) {
      const preview = await client().brake.previewHold(hold);
      if (json) return io.out(JSON.stringify(preview));
      const { count, recipients, samples } = preview;
      io.out(`${countOf(count, 'notification')} to ${countOf(recipients, 'recipient')}`);
      for (const { channel, address, subject, text, error } of samples)
        io.out(`${channel} to ${plain(address)}  ${plain(error ?? subject ?? text, 80)}`);
      return;
    }
    const found = await collect(client().brake.listHolds());
    if (json) return io.out(JSON.stringify(found));
    const rows = found.map((each) => [
      each.hold,
      `${each.is_capped ? '>' : ''}${each.count}`,
      `since ${each.oldest_held_at}`,
      plain(each.rule_name, 60),
    ]);
    io.out(rows.length > 0 ? table(rows) : 'Nothing is held.');
  },
});

const release = decision('release', 'Send held notifications', 'send');
const cancel = decision('cancel', 'Drop held notifications: they become suppressed', 'drop');

function decision(action: 'release' | 'cancel', summary: string, verb: string): Command {
  return command({
    name: `brake ${action}`,
    summary,
    arguments: '<hold>',
    takes: [1, 1],
    options: {
      limit: { type: 'string', value: 'number', description: 'Only the oldest N' },
      yes,
      'no-wait': noWait,
    },
    examples: [
      {
        command: `carillon brake ${action} repeated_messages --limit 100`,
        says: `${verb} the oldest hundred`,
      },
    ],
    async run(context, { limit: given, yes: isSure, 'no-wait': isBackground }, [hold = '']) {
      const limit = numberOf(given, '--limit', 1, 1_000_000_000);
      const { count, recipients, is_capped } = await context.client().brake.previewHold(hold);
      const number = countOf(Math.min(count, limit ?? count), 'notification');
      const more = is_capped && limit === undefined ? 'more than ' : '';
      const to = limit === undefined ? ` to ${countOf(recipients, 'recipient')}` : '';
      const question = `${verb === 'send' ? 'Send' : 'Drop'} ${more}${number}${to}?`;
      if (!(await confirmed(context.io, question, isSure))) return;
      const params = { action, ...(limit !== undefined && { limit }) };
      return follow(context, await context.client().brake.releaseHold(hold, params), isBackground);
    },
  });
}

/** Shows the progress until the release ends. */
async function follow(
  { io, json, client }: Context,
  begun: HoldRelease,
  isBackground: boolean | undefined,
): Promise<void> {
  let current = begun;
  while (!isBackground && current.status === 'running') {
    io.progress(`${progressBar(current.done, current.total)} ${current.done} of ${current.total}`);
    await io.sleep(pollMs, never);
    current = await client().brake.getRelease(current.id);
  }
  if (json) return io.out(JSON.stringify(current));
  const verb = current.action === 'release' ? 'released' : 'cancelled';
  io.out(`${current.status}  ${current.done} of ${current.total} ${verb}  ${current.id}`);
}

export const brakeCommands: readonly Command[] = [freeze, unfreeze, status, holds, release, cancel];
