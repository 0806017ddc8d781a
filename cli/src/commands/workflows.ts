import { collect } from '../collect.ts';
import { type Command, command } from '../command.ts';
import { exitCodes, usageError } from '../errors.ts';
import { jsonOf } from '../input.ts';
import { plain, statusStyle, table } from '../style.ts';

export const workflowCommands: readonly Command[] = [
  command({
    name: 'workflows list',
    summary: 'List workflows with their active version',
    options: {},
    examples: [{ command: 'carillon workflows list', says: 'all workflows of the environment' }],
    async run({ io, json, client, style }) {
      const workflows = await collect(client().workflows.list({ limit: 100 }));
      if (json) return io.out(JSON.stringify(workflows));
      const rows = workflows.map(({ key, status, active_version, name }) => [
        key,
        statusStyle(style, status),
        active_version === null ? 'no active version' : `version ${active_version}`,
        plain(name, 40),
      ]);
      io.out(rows.length > 0 ? table(rows) : 'No workflows.');
    },
  }),
  command({
    name: 'workflows trigger',
    summary: 'Start a run of a workflow',
    arguments: '<key>',
    takes: [1, 1],
    options: {
      data: { type: 'string', short: 'd', value: 'json', description: 'Trigger data: JSON, @path or -' },
      'idempotency-key': { type: 'string', value: 'key', description: 'Prevents a second run for 24 hours' },
      wait: { type: 'boolean', short: 'w', description: 'Wait until the run ends' },
    },
    examples: [
      {
        command: `carillon workflows trigger dunning --data '{"invoice": "A-1"}'`,
        says: 'prints the id of the run',
      },
    ],
    async run({ io, json, client, style }, { data, 'idempotency-key': idempotency_key, wait }, [key = '']) {
      if (data === undefined) throw usageError('A trigger needs --data.', "Without data, pass --data '{}'.");
      const trigger_data = await jsonOf(io, data, '--data');
      const started = await client().workflows.trigger(key, { trigger_data }, { idempotency_key });
      if (!wait) return io.out(json ? JSON.stringify(started) : `${started.status}  ${started.run_id}`);
      const run = await client().runs.waitForCompletion(started.run_id);
      if (json) io.out(JSON.stringify(run));
      else {
        const reason = plain(run.failure_reason);
        io.out(`${statusStyle(style, run.status)}  ${run.id}${reason ? `  ${reason}` : ''}`);
      }
      return run.status === 'completed' ? exitCodes.ok : exitCodes.failure;
    },
  }),
];
