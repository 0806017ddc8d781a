import type { ScheduleDetail, ScheduleReplace } from '@carillon/sdk';
import { isObject } from '../input.ts';
import { orNull } from './found.ts';
import { FileProblem, fieldsOf } from './json-file.ts';
import type { Files, Kind, KindName } from './kind.ts';
import { contentIn, readSingleFiles, singleFile } from './single-file.ts';

const name = 'schedules';
const keyPattern = /^[a-z0-9_]{1,100}$/;
const fieldNames = [
  'name',
  'status',
  'target',
  'cron',
  'rule',
  'timezone',
  'per_recipient_timezone',
  'starts_at',
  'ends_at',
  'missed_runs',
] as const;

type Definition = Pick<ScheduleDetail, Exclude<(typeof fieldNames)[number], 'status'>>;

/** Without what is as it is by default, and with one of `cron` and `rule`. */
type Content = Partial<ScheduleReplace> & Pick<ScheduleReplace, 'name' | 'target'> & { status?: 'paused' };

export const schedules: Kind = {
  name,
  removal: 'delete',
  read: (folder) =>
    readSingleFiles(folder, name, keyPattern, (value) => {
      const fields = fieldsOf(value, fieldNames);
      if ((value.cron === undefined) === (value.rule === undefined))
        throw new FileProblem('must have either cron or rule');
      const target = fields.object('target');
      if (target.kind === 'broadcast') {
        if (!isObject(target.broadcast)) throw new FileProblem(': target.broadcast must be an object');
      } else if (typeof target.workflow_key !== 'string')
        throw new FileProblem(': target.workflow_key must be a string');
      return contentOf(
        {
          name: fields.text('name', 200),
          target: target as Definition['target'],
          cron: fields.optionalText('cron', 100) ?? '',
          rule: value.rule === undefined ? null : (fields.object('rule') as Definition['rule']),
          timezone: fields.optionalText('timezone', 64) ?? 'UTC',
          per_recipient_timezone: fields.flag('per_recipient_timezone', false),
          starts_at: fields.optionalText('starts_at', 40),
          ends_at: fields.optionalText('ends_at', 40),
          missed_runs: fields.choice('missed_runs', ['skip', 'run_once'], 'skip'),
        },
        fields.choice('status', ['active', 'paused'], 'active') === 'paused',
      );
    }),
  async *list(client) {
    for await (const schedule of client.schedules.list({ limit: 100 }))
      yield [schedule.key, filesOf(schedule)];
  },
  async find(client, key) {
    const found = await orNull(client.schedules.get(key));
    return found && filesOf(found);
  },
  async write(client, key, files) {
    const { status = 'active', ...definition } = contentIn(files) as Content;
    const there = await orNull(client.schedules.get(key));
    // An equal schedule is not replaced: that would compute its next run from now on.
    if (!there) await client.schedules.create({ key, ...definition });
    else if (definitionText(filesOf(there)) !== definitionText(files))
      await client.schedules.replace(key, definition);
    if (status === 'paused') await client.schedules.pause(key);
    else if (there?.status === 'paused') await client.schedules.resume(key);
  },
  remove: (client, key) => client.schedules.delete(key),
};

const filesOf = (schedule: Definition & Pick<ScheduleDetail, 'key' | 'status'>): Files =>
  singleFile(name, schedule.key, contentOf(schedule, schedule.status === 'paused'));

function contentOf(schedule: Definition, isPaused: boolean): Content {
  const { rule, cron, timezone, per_recipient_timezone, starts_at, ends_at, missed_runs } = schedule;
  return {
    name: schedule.name,
    ...(isPaused ? { status: 'paused' as const } : {}),
    target: targetOf(schedule.target),
    ...(rule ? { rule: ruleOf(rule) } : { cron: cron.trim().replace(/\s+/g, ' ') }),
    ...(timezone === 'UTC' ? {} : { timezone }),
    ...(per_recipient_timezone ? { per_recipient_timezone } : {}),
    ...(starts_at === null ? {} : { starts_at: momentOf(starts_at) }),
    ...(ends_at === null ? {} : { ends_at: momentOf(ends_at) }),
    ...(missed_runs === 'skip' ? {} : { missed_runs }),
  };
}

function targetOf(target: Definition['target']): Definition['target'] {
  const { trigger_data, audience, broadcast } = target;
  const isEmpty = !isObject(trigger_data) || Object.keys(trigger_data).length === 0;
  return withoutNulls({
    kind: target.kind,
    workflow_key: target.workflow_key,
    trigger_data: isEmpty ? null : trigger_data,
    audience: audience && withoutNulls(audience),
    broadcast: broadcast && withoutNulls(broadcast),
  });
}

function ruleOf({ every, on, day, at }: NonNullable<Definition['rule']>) {
  return withoutNulls({ every, on, day, at });
}

/** Any spelling of a moment is the same moment. What is none is the service's to refuse. */
function momentOf(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

function withoutNulls<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each != null)) as Value;
}

function definitionText(files: Files): string {
  const { status: _, ...definition } = contentIn(files) as Content;
  return JSON.stringify(definition);
}

/** What a schedule refers to, by the kind of its files. */
export function namesOf(files: Files): [kind: KindName, noun: string, key: string][] {
  const { workflow_key, audience, broadcast } = (contentIn(files) as Content).target;
  return [
    ['workflows', 'workflow', workflow_key],
    ['templates', 'template', broadcast?.template_key],
    ['categories', 'category', broadcast?.category],
    ['topics', 'topic', audience?.topic ?? broadcast?.audience.topic],
  ].flatMap(([kind, noun, key]) => (key ? [[kind, noun, key] as [KindName, string, string]] : []));
}
