import { resolve } from 'node:path';
import { type Command, type Context, command, type Options } from '../command.ts';
import { brand } from '../configuration/brand.ts';
import { categories } from '../configuration/categories.ts';
import { type Kind, kindNames } from '../configuration/kind.ts';
import { layouts } from '../configuration/layouts.ts';
import { partials } from '../configuration/partials.ts';
import { planPull, planPush } from '../configuration/plan.ts';
import { pull } from '../configuration/pull.ts';
import { push } from '../configuration/push.ts';
import { rules } from '../configuration/rules.ts';
import { schedules } from '../configuration/schedules.ts';
import { describePlan, planAsJson } from '../configuration/show-plan.ts';
import { type Scope, sidesOf } from '../configuration/sides.ts';
import { templates } from '../configuration/templates.ts';
import { topics } from '../configuration/topics.ts';
import { translations } from '../configuration/translations.ts';
import { workflows } from '../configuration/workflows.ts';
import { exitCodes } from '../errors.ts';

/** In the order in which they may be written: later ones name earlier ones. */
const kinds: readonly Kind[] = [
  ...[categories, topics, translations, partials, layouts, templates, workflows, rules, schedules, brand],
];

const dir = { type: 'string', value: 'path', description: 'Folder. Default: ./carillon' } as const;
const writing = {
  dir,
  'dry-run': { type: 'boolean', description: 'Show what would change, change nothing' },
  prune: { type: 'boolean', description: 'Also delete resources missing on the other side' },
  force: { type: 'boolean', description: 'Overwrite conflicts' },
  yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' },
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
      summary: `Download ${what} into a folder`,
      details:
        'Files changed since the last pull are not overwritten without --force. Files of resources deleted on the server\n' +
        'are kept without --prune.',
      options: writing,
      examples: [
        { command: `carillon ${prefix}pull`, says: 'into ./carillon' },
        { command: `carillon ${prefix}pull --dir config --dry-run`, says: 'show what would change' },
      ],
      run: (context, values, keys) => pull(scope(context, values.dir, keys), flagsOf(values)),
    }),
    command({
      ...named,
      name: `${prefix}push`,
      summary: `Upload ${what} from a folder`,
      details:
        'Validates the whole folder, shows the diff and asks for confirmation. A resource changed on the server since the\n' +
        'last pull is a conflict: nothing is written without --force. Nothing is deleted without --prune. After an\n' +
        'interruption, run push again to finish.',
      options: writing,
      examples: [
        { command: `carillon ${prefix}push`, says: 'shows the difference, asks, writes' },
        { command: `carillon ${prefix}push --profile live --yes`, says: 'in CI' },
      ],
      run: (context, values, keys) => push(scope(context, values.dir, keys), flagsOf(values)),
    }),
    command({
      ...named,
      name: `${prefix}diff`,
      summary: `Compare ${what} with a folder`,
      details: 'Shows what a push would change, or with --pull, what a pull would change.',
      options: {
        dir,
        prune: writing.prune,
        pull: { type: 'boolean', description: 'Show what a pull would change' },
        'exit-code': { type: 'boolean', description: 'Exit with 1 if there are differences' },
      },
      examples: [
        { command: `carillon ${prefix}diff`, says: 'what a push would change' },
        {
          command: `carillon ${prefix}diff --exit-code --prune`,
          says: 'check for drift in CI',
        },
      ],
      async run(context, values, keys) {
        const wanted = scope(context, values.dir, keys);
        const { sides } = await sidesOf(wanted, { strict: true });
        const plan = (values.pull ? planPull : planPush)(sides, values.prune ?? false);
        if (context.json) context.io.out(JSON.stringify(planAsJson(plan)));
        else for (const line of describePlan(plan, context.style)) context.io.out(line);
        if (!context.json && plan.changes.length === 0) context.io.out('No differences.');
        return values['exit-code'] && plan.changes.length > 0 ? exitCodes.failure : exitCodes.ok;
      },
    }),
  ];
}

function flagsOf(values: { 'dry-run'?: boolean; prune?: boolean; force?: boolean; yes?: boolean }) {
  const { 'dry-run': dryRun = false, prune = false, force = false, yes = false } = values;
  return { dryRun, prune, force, yes };
}
