import { CarillonError, type TemplatePromotion, type WorkflowPromotion } from '@carillon/sdk';
import { collect } from '../collect.ts';
import { type Command, type Context, command } from '../command.ts';
import { CliError, exitCodes, usageError } from '../errors.ts';
import { confirmed } from '../input.ts';
import { countOf } from '../style.ts';

interface Item {
  kind: 'templates' | 'workflows';
  key: string;
  promote(dry_run: boolean): Promise<TemplatePromotion | WorkflowPromotion>;
}

const options = {
  'dry-run': { type: 'boolean', description: 'Show what would change in Live, change nothing' },
  yes: { type: 'boolean', short: 'y', description: 'Skip the confirmation' },
} as const;

const details =
  'Copies Test to Live. Requires a Test key; the diff is shown first. Each template and each workflow is promoted\n' +
  'completely or not at all. Categories are not promoted: push them with a Live profile.';

export const promoteCommands: readonly Command[] = [
  command({
    name: 'promote',
    summary: 'Copy every template and active workflow from Test to Live',
    details,
    options,
    examples: [
      { command: 'carillon promote --dry-run', says: 'show what would change in Live' },
      { command: 'carillon categories push --profile live && carillon promote', says: 'everything' },
    ],
    async run(context, values) {
      const { templates, workflows } = context.client();
      return promote(context, values, [
        ...(await collect(templates.list({ limit: 100 }))).map(({ key }) => template(context, key)),
        ...(await collect(workflows.list({ limit: 100, status: 'active' }))).map(({ key }) =>
          workflow(context, key, true),
        ),
      ]);
    },
  }),
  command({
    name: 'templates promote',
    summary: 'Copy templates from Test to Live',
    arguments: '<key…>',
    takes: [1, 1000],
    details,
    options,
    examples: [
      { command: 'carillon templates promote order-shipped', says: 'shows the difference, asks, promotes' },
    ],
    run: (context, values, keys) =>
      promote(
        context,
        values,
        keys.map((key) => template(context, key)),
      ),
  }),
  command({
    name: 'workflows promote',
    summary: 'Copy the active versions of workflows from Test to Live',
    arguments: '<key…>',
    takes: [1, 1000],
    details,
    options: {
      ...options,
      'include-templates': { type: 'boolean', description: 'Also promote their templates' },
    },
    examples: [
      {
        command: 'carillon workflows promote welcome --include-templates',
        says: 'promote a workflow with its templates',
      },
    ],
    run: (context, values, keys) =>
      promote(
        context,
        values,
        keys.map((key) => workflow(context, key, values['include-templates'])),
      ),
  }),
];

function template({ client }: Context, key: string): Item {
  return { kind: 'templates', key, promote: (dry_run) => client().templates.promote(key, { dry_run }) };
}

function workflow({ client }: Context, key: string, include_templates = false): Item {
  const promote = (dry_run: boolean) => client().workflows.promote(key, { dry_run, include_templates });
  return { kind: 'workflows', key, promote };
}

async function promote(
  { io, json, style }: Context,
  { 'dry-run': dryRun, yes }: { 'dry-run'?: boolean | undefined; yes?: boolean | undefined },
  items: Item[],
): Promise<number> {
  const names = items.map(({ kind, key }) => `${kind}/${key}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw usageError(`${twice} is listed twice.`);
  const planned: { item: Item; status: string; refusal: string | null }[] = [];
  for (const item of items) {
    io.progress(`comparing ${item.kind}/${item.key}…`);
    planned.push({ item, ...(await compare(item)) });
  }
  const changes = planned.filter(({ status }) => status !== 'identical');
  const refused = planned.filter(({ refusal }) => refusal !== null);
  if (!json) {
    for (const { item, status, refusal } of changes) {
      const mark = status === 'new' ? style('green', '+') : style('yellow', '~');
      io.out(`${refusal ? style('red', '✗') : mark} ${item.kind}/${item.key} (${refusal ?? status})`);
    }
    if (changes.length === 0) io.out('Live is up to date.');
  }
  const result = (applied: boolean) => {
    const shown = planned.map(({ item, status, refusal }) => ({
      kind: item.kind,
      key: item.key,
      status,
      refusal,
    }));
    if (json) io.out(JSON.stringify({ applied, items: shown }));
  };
  if (refused.length > 0) {
    result(false);
    throw new CliError(`${countOf(refused.length, 'resource')} cannot be promoted. Live was not changed.`, {
      hint: 'Missing category in Live: carillon categories push --profile <live>. Missing template: promote it too.',
    });
  }
  if (dryRun || changes.length === 0) {
    result(false);
    return exitCodes.ok;
  }
  const question = `Promote ${countOf(changes.length, 'resource')} to ${style('bold', 'LIVE')}?`;
  if (!(await confirmed(io, question, yes))) {
    io.err('Nothing was promoted.');
    return exitCodes.ok;
  }
  for (const { item } of changes) {
    await item.promote(false);
    if (!json) io.out(`${style('green', '✓')} ${item.kind}/${item.key}`);
  }
  result(true);
  return exitCodes.ok;
}

async function compare(item: Item): Promise<{ status: string; refusal: string | null }> {
  try {
    return { status: (await item.promote(true)).status, refusal: null };
  } catch (error) {
    if (!(error instanceof CarillonError) || error.code !== 'workflow_invalid') throw error;
    return { status: 'changed', refusal: error.message };
  }
}
