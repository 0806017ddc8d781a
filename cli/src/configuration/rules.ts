import { type BrakeRule, PermissionError } from '@carillon/sdk';
import { channels } from '../channels.ts';
import { orNull } from './found.ts';
import { FileProblem, fieldsOf } from './json-file.ts';
import type { Files, Kind } from './kind.ts';
import { keyPattern } from './read-folder.ts';
import { contentIn, readSingleFiles, singleFile } from './single-file.ts';

const name = 'rules';
const scopes = ['environment', 'key', 'category', 'workflow', 'recipient', 'chain', 'spike'] as const;
const actions = ['hold', 'delay', 'suppress', 'notify', 'refuse'] as const;
const matchFields = ['channel', 'category', 'template_key', 'workflow_key', 'key_id'] as const;

type Content = Omit<BrakeRule, 'key' | 'is_default'>;

/** The rules of the brake. Default rules count as absent until they are saved. */
export const rules: Kind = {
  name,
  removal: 'delete',
  read: (folder) => readSingleFiles(folder, name, keyPattern, parse),
  async *list(client) {
    try {
      for await (const rule of client.brake.listRules())
        if (!rule.is_default) yield [rule.key, filesOf(rule)];
    } catch (error) {
      // A key for templates and workflows alone goes on working; with rules in the folder, the write says what is missing.
      if (!(error instanceof PermissionError)) throw error;
    }
  },
  async find(client, key) {
    const found = await orNull(client.brake.getRule(key));
    return found && !found.is_default ? filesOf(found) : null;
  },
  async write(client, key, files) {
    await client.brake.putRule(key, contentIn(files) as Content);
  },
  remove: (client, key) => client.brake.deleteRule(key),
};

function parse(value: Record<string, unknown>): Content {
  const fields = fieldsOf(value, [
    ...['name', 'scope', 'match', 'per_template', 'window', 'unit', 'limit', 'action'],
    ...['hold_expires_hours', 'includes_critical', 'is_enabled'],
  ]);
  const scope = scopes.find((each) => each === value.scope);
  if (!scope) throw new FileProblem(`: scope must be ${scopes.join(', ')}`);
  return {
    name: fields.text('name', 200),
    scope,
    match: matchOf(value.match === undefined ? {} : fields.object('match')),
    per_template: fields.flag('per_template', false),
    window: fields.choice('window', ['minute', 'hour', 'day'], scope === 'spike' ? 'minute' : 'day'),
    unit: fields.choice('unit', ['messages', 'money'], 'messages'),
    limit: integer(value.limit, 'limit'),
    action: fields.choice(
      'action',
      actions,
      scope === 'chain' ? 'refuse' : scope === 'spike' ? 'notify' : 'hold',
    ),
    hold_expires_hours: integer(value.hold_expires_hours ?? 72, 'hold_expires_hours'),
    includes_critical: fields.flag('includes_critical', false),
    is_enabled: fields.flag('is_enabled', true),
  };
}

function matchOf(value: Record<string, unknown>): Content['match'] {
  const fields = fieldsOf(value, matchFields);
  const given = matchFields.filter((field) => value[field] !== undefined);
  return Object.fromEntries(
    given.map((field) => [
      field,
      field === 'channel' ? fields.choice('channel', channels, 'email') : fields.text(field, 255),
    ]),
  );
}

function integer(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new FileProblem(`: ${field} must be a whole number`);
  return value;
}

/** In the order in which the files show them, whatever the order of the response. */
function filesOf({ key, match, ...rule }: BrakeRule): Files {
  const { scope, per_template, window, unit, limit, action } = rule;
  const { hold_expires_hours, includes_critical, is_enabled } = rule;
  const content: Content = {
    ...{ name: rule.name, scope, match: matchOf({ ...match }), per_template, window, unit, limit, action },
    ...{ hold_expires_hours, includes_critical, is_enabled },
  };
  return singleFile(name, key, content);
}
