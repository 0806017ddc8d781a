import type { SimulatedRun, WorkflowStep } from '@carillon/sdk';
import { type Context, command } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { isObject, jsonOf, numberOf } from '../input.ts';
import { plain, type Style, statusStyle, table } from '../style.ts';

export const simulate = command({
  name: 'workflows simulate',
  summary: 'Run a workflow on a virtual clock and show its timeline',
  arguments: '<key>',
  takes: [1, 1],
  details:
    'Nothing is sent, fetched or stored; days pass in milliseconds. An --event is name, name@when, or either with =JSON:\n' +
    'order.paid@2h={"order":{"id":"A-1"}}. Without a time, the event arrives as soon as the run waits for it.',
  options: {
    data: {
      type: 'string',
      short: 'd',
      value: 'json',
      description: 'trigger_data as JSON, @path or -. Default: {}',
    },
    version: {
      type: 'string',
      value: 'number',
      description: 'Version. Default: the active one, then the latest',
    },
    event: {
      type: 'string',
      short: 'e',
      value: 'event',
      multiple: true,
      description: 'An event for the run',
    },
    responses: {
      type: 'string',
      value: 'json',
      description: 'Responses of fetch steps by step id: JSON or @path',
    },
    now: { type: 'string', value: 'time', description: 'Start time of the run. Default: now' },
  },
  examples: [
    {
      command: `carillon workflows simulate welcome --data '{"email":"ada@example.com"}'`,
      says: 'show the timeline',
    },
    {
      command: `carillon workflows simulate dunning -d @trigger.json -e 'order.paid@25h={"amount":42}'`,
      says: 'with a payment after the first reminder',
    },
  ],
  async run(context, values, [key = '']) {
    const { io, client } = context;
    const trigger_data = values.data === undefined ? {} : await jsonOf(io, values.data, '--data');
    const responses =
      values.responses === undefined ? undefined : await jsonOf(io, values.responses, '--responses');
    const events = (values.event ?? []).map(eventOf);
    const version =
      numberOf(values.version, '--version', 1, 2_147_483_647) ?? (await currentVersion(context, key));
    const run = await client().workflows.simulateVersion(key, version, {
      trigger_data,
      events,
      responses,
      now: values.now,
    });
    if (context.json) return io.out(JSON.stringify(run));
    io.out(timelineOf(run, key, version, context.style));
  },
});

async function currentVersion({ client }: Context, key: string): Promise<number> {
  const { active_version, latest_version } = await client().workflows.get(key);
  const version = active_version ?? latest_version;
  if (version === null)
    throw new CliError(`${key} has no version yet.`, { hint: `carillon workflows push ${key}` });
  return version;
}

function eventOf(given: string): {
  event_name: string;
  event_data: Record<string, unknown>;
  at?: string;
} {
  const [, event_name = '', at, json] = /^([^@=]+)(?:@([^=]+))?(?:=([\s\S]*))?$/.exec(given) ?? [];
  if (event_name === '') throw usageError(`--event ${given}: expected name, name@when or name@when=JSON.`);
  return { event_name, event_data: json === undefined ? {} : dataOf(json, given), ...(at ? { at } : {}) };
}

function dataOf(json: string, given: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch {}
  throw usageError(`--event ${given}: the part after = must be a JSON object.`);
}

function timelineOf(
  { status, failure_reason, steps }: SimulatedRun,
  key: string,
  version: number,
  style: Style,
) {
  const startMs = Date.parse(steps[0]?.started_at ?? '');
  const rows = steps.map((step) => [
    `  ${style('dim', afterStart(Date.parse(step.started_at) - startMs))}`,
    style(step.status === 'failed' ? 'red' : 'green', step.status === 'failed' ? '✗' : '●'),
    step.step_id,
    style('cyan', step.kind),
    wordsOf(step, startMs),
  ]);
  const head = `${style('bold', key)} version ${version}`;
  const end = `${statusStyle(style, status)}${failure_reason ? `: ${plain(failure_reason, 1000)}` : ''}`;
  return [head, ...(rows.length > 0 ? [table(rows)] : []), end].join('\n');
}

function wordsOf(
  { outcome, status, next_step_id, completed_at, started_at, output_json }: WorkflowStep,
  startMs: number,
) {
  const until = completed_at === null ? null : Date.parse(completed_at);
  const waited =
    until !== null && until > Date.parse(started_at) ? `until ${afterStart(until - startMs)}` : '';
  const next = next_step_id ? `→ ${next_step_id}` : '';
  return [outcome ?? status, waited, next, plain(output_json, 80)].filter(Boolean).join('  ');
}

/** `+1d 2h`: two units say enough. */
function afterStart(ms: number): string {
  if (!(ms > 0)) return '+0s';
  if (ms < 1000) return `+${ms}ms`;
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ];
  let left = ms;
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    if (count > 0) parts.push(`${count}${unit}`);
    left -= count * size;
  }
  return `+${parts.slice(0, 2).join(' ')}`;
}
