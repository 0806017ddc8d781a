import { CliError, exitCodes } from '../errors.ts';
import { confirmed } from '../input.ts';
import { countOf } from '../style.ts';
import { replaceFiles } from './disk.ts';
import { hashOf } from './kind.ts';
import { planPull } from './plan.ts';
import { describePlan, planAsJson } from './show-plan.ts';
import { type Flags, folderError, type Scope, sidesOf } from './sides.ts';

export async function pull(scope: Scope, flags: Flags): Promise<number> {
  const { context, folder } = scope;
  const { io, style, json } = context;
  const { sides, state, problems, environment } = await sidesOf(scope, { strict: false });
  if (problems.length > 0 && !flags.force) throw folderError(context, problems);
  const plan = planPull(sides, flags.prune);
  const say = (line: string) => json || io.out(line);
  const result = (applied: boolean) =>
    json && io.out(JSON.stringify({ environment, folder, applied, ...planAsJson(plan) }));
  // A folder that is filled for the first time has no difference to read.
  const changed = plan.changes.filter(({ action }) => action !== 'create');
  for (const line of describePlan({ ...plan, changes: flags.dryRun ? plan.changes : changed }, style))
    say(line);
  const conflicts = plan.changes.filter(({ conflict }) => conflict);
  const refused = conflicts.length > 0 && !flags.force;
  if (flags.dryRun) {
    say(plan.changes.length === 0 ? 'No differences.' : 'Dry run: nothing was written.');
    result(false);
    return refused ? exitCodes.failure : exitCodes.ok;
  }
  if (refused) {
    result(false);
    throw new CliError(`${countOf(conflicts.length, 'conflict')}. Nothing was written.`, {
      hint: 'Back up your files and merge them after `pull --force`, or use `push --force` to keep yours.',
    });
  }
  if (
    changed.length > 0 &&
    !(await confirmed(io, `Change ${countOf(changed.length, 'resource')} in ${folder}?`, flags.yes))
  ) {
    say('Nothing was written.');
    return exitCodes.ok;
  }
  for (const { kind, key, after, paths } of plan.changes) {
    replaceFiles(folder, paths, after ?? new Map());
    state.set(kind.name, key, hashOf(after));
  }
  for (const { kind, key, hash } of plan.equal) state.set(kind.name, key, hash);
  // Also when there is nothing yet: from now on it is known what was seen.
  for (const { kind, base } of sides) if (base === null) state.set(kind.name, '', null);
  state.save();
  const count = plan.changes.length;
  say(
    count === 0
      ? `${folder} is up to date.`
      : `${style('green', '✓')} ${countOf(count, 'resource')} written to ${folder}`,
  );
  result(true);
  return exitCodes.ok;
}
