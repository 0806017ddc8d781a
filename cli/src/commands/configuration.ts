import { resolve } from 'node:path';
import { type Command, type Context, command, type Options } from '../command.ts';
import { categories } from '../configuration/categories.ts';
import { type Kind, kindNames } from '../configuration/kind.ts';
import { planPull, planPush } from '../configuration/plan.ts';
import { pull } from '../configuration/pull.ts';
import { push } from '../configuration/push.ts';
import { describePlan, planAsJson } from '../configuration/show-plan.ts';
import { type Scope, sidesOf } from '../configuration/sides.ts';
import { templates } from '../configuration/templates.ts';
import { workflows } from '../configuration/workflows.ts';
import { exitCodes } from '../errors.ts';

/** In the order in which they may be written: later ones name earlier ones. */
const kinds: readonly Kind[] = [categories, templates, workflows];

const dir = { type: 'string', value: 'path', description: 'The folder; ./carillon unless told' } as const;
const writing = {
  dir,
  'dry-run': { type: 'boolean', description: 'Only show what would change' },
  prune: { type: 'boolean', description: 'Also remove what the other side does not have' },
  force: { type: 'boolean', description: 'In spite of conflicts' },
  yes: { type: 'boolean', short: 'y', description: 'Do not ask' },
} as const satisfies Options;

/** For everything, and for each kind with the keys to choose. */
export const configurationCommands: readonly Command[] = [
  ...family('', 'all configuration', kinds),
  ...kindNames.flatMap((name) =>
    family(
      `${name} `,
      name,
      kinds.filter((kind) => kind.name === name),
    ),
  ),
];

function family(prefix: string, what: string, chosen: readonly Kind[]): Command[] {
  const named = prefix === '' ? {} : ({ arguments: '[key…]', takes: [0, 1000] as [number, number] } as const);
  const scope = (context: Context, given: string | undefined, keys: string[]): Scope => ({
    context,
    kinds: chosen,
    keys,
    folder: resolve(context.io.cwd, given ?? 'carillon'),
  });
  return [
    command({
      ...named,
      name: `${prefix}pull`,
      summary: `Write ${what} of the service into a folder`,
      details:
        'Files that you changed since the last time are never overwritten, unless with --force. Files of what was deleted on\n' +
        'the server are kept, unless with --prune.',
      options: writing,
      examples: [
        { command: `carillon ${prefix}pull`, says: 'into ./carillon' },
        { command: `carillon ${prefix}pull --dir config --dry-run`, says: 'only show what would change' },
      ],
      run: (context, values, keys) => pull(scope(context, values.dir, keys), flagsOf(values)),
    }),
    command({
      ...named,
      name: `${prefix}push`,
      summary: `Make ${what} of the service what a folder says`,
      details:
        'The whole folder is checked before the first write, the difference is shown, and you are asked. What was changed on\n' +
        'the server since the last pull is a conflict: nothing is written, unless with --force. Nothing is removed, unless with\n' +
        '--prune. After an interruption a second push finishes.',
      options: writing,
      examples: [
        { command: `carillon ${prefix}push`, says: 'shows the difference, asks, writes' },
        { command: `carillon ${prefix}push --profile live --yes`, says: 'in a pipeline' },
      ],
      run: (context, values, keys) => push(scope(context, values.dir, keys), flagsOf(values)),
    }),
    command({
      ...named,
      name: `${prefix}diff`,
      summary: `Show how ${what} of the service differs from a folder`,
      details: 'What a push would change; with --pull, what a pull would.',
      options: {
        dir,
        prune: writing.prune,
        pull: { type: 'boolean', description: 'The other way round' },
        'exit-code': { type: 'boolean', description: 'Exit with 1 when something would change' },
      },
      examples: [
        { command: `carillon ${prefix}diff`, says: 'what a push would change' },
        {
          command: `carillon ${prefix}diff --exit-code --prune`,
          says: 'is the folder what runs? In a pipeline',
        },
      ],
      async run(context, values, keys) {
        const wanted = scope(context, values.dir, keys);
        const { sides } = await sidesOf(wanted, { strict: true });
        const plan = (values.pull ? planPull : planPush)(sides, values.prune ?? false);
        if (context.json) context.io.out(JSON.stringify(planAsJson(plan)));
        else for (const line of describePlan(plan, context.style)) context.io.out(line);
        if (!context.json && plan.changes.length === 0) context.io.out('No difference.');
        return values['exit-code'] && plan.changes.length > 0 ? exitCodes.failure : exitCodes.ok;
      },
    }),
  ];
}

function flagsOf(values: { 'dry-run'?: boolean; prune?: boolean; force?: boolean; yes?: boolean }) {
  const { 'dry-run': dryRun = false, prune = false, force = false, yes = false } = values;
  return { dryRun, prune, force, yes };
}
