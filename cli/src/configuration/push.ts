import { CarillonError } from '@carillon/sdk';
import { CliError, exitCodes } from '../errors.ts';
import { confirmed } from '../input.ts';
import { countOf } from '../style.ts';
import { checkPlan } from './check-plan.ts';
import { hashOf } from './kind.ts';
import { type Change, type Plan, planPush } from './plan.ts';
import { describePlan, planAsJson } from './show-plan.ts';
import { type Compared, type Flags, type Scope, sidesOf } from './sides.ts';
import { underWay } from './state.ts';

export async function push(scope: Scope, flags: Flags): Promise<number> {
  const { context } = scope;
  const { io, style, json } = context;
  const compared = await sidesOf(scope, { strict: true });
  const plan = planPush(compared.sides, flags.prune);
  checkPlan(scope, compared, plan);
  const say = (line: string) => (json ? io.err(line) : io.out(line));
  if (!json) for (const line of describePlan(plan, style)) say(line);
  const conflicts = plan.changes.filter(({ conflict }) => conflict);
  const refused = conflicts.length > 0 && !flags.force;
  const where = `${compared.environment.kind === 'live' ? 'LIVE' : 'Test'} at ${context.url()}`;
  const result = (applied: boolean) =>
    json && io.out(JSON.stringify({ environment: compared.environment, applied, ...planAsJson(plan) }));

  if (flags.dryRun || plan.changes.length === 0) {
    if (plan.changes.length === 0 && !flags.dryRun) settle(compared, plan);
    if (!json) say(plan.changes.length === 0 ? `${where} is up to date.` : 'Dry run: nothing was written.');
    result(false);
    return refused ? exitCodes.failure : exitCodes.ok;
  }
  if (refused) {
    result(false);
    throw new CliError(`${countOf(conflicts.length, 'conflict')}. Nothing was written.`, {
      hint: 'Pull and merge (`carillon diff --pull` shows the server’s changes), or use --force to overwrite the server.',
    });
  }
  const question = `Write ${countOf(plan.changes.length, 'change')} to ${style('bold', where)}?`;
  if (!(await confirmed(io, question, flags.yes))) {
    say('Nothing was written.');
    return exitCodes.ok;
  }
  const code = await apply(scope, compared, plan, say);
  if (code === exitCodes.ok) say(summaryOf(plan.changes, where));
  result(code === exitCodes.ok);
  return code;
}

/** Resource by resource. Ctrl-C lets the one under way be finished, so that none is half done. */
async function apply({ context }: Scope, compared: Compared, plan: Plan, say: (line: string) => void) {
  const { io, style } = context;
  const { client, state } = compared;
  let stopping = false;
  const done = io.onInterrupt(() => {
    stopping = true;
    io.err('finishing the current write; press Ctrl-C again to stop immediately');
  });
  settle(compared, plan);
  for (const [index, change] of plan.changes.entries()) {
    const { kind, key, before, after } = change;
    const total = plan.changes.length;
    const written = `${index} of ${total} written`;
    const position = `${index + 1} of ${total}: ${kind.name}/${key}`;
    io.progress(`${position}…`);
    if (stopping) {
      io.err(`Interrupted: ${written}. Run push again to finish.`);
      return exitCodes.interrupted;
    }
    try {
      // A second conflict check right before the write covers changes made while the plan was reviewed.
      if (hashOf(await kind.find(client, key)) !== hashOf(before))
        throw new CliError('changed on the server during the push.');
      state.set(kind.name, key, underWay);
      state.save();
      if (after === null) await kind.remove(client, key);
      else await kind.write(client, key, after);
    } catch (error) {
      done();
      const isPartWritten = await remember(compared, change);
      const part = isPartWritten ? ', and part of this one' : '';
      throw failure(error, change, `${written}${part}. Fix the problem and run push again to finish.`);
    }
    state.set(kind.name, key, hashOf(after));
    state.save();
    // A terminal shows the line that is replaced; a log needs one of its own.
    if (!io.showsProgress) say(`${style('green', '✓')} ${position} ${resultOf(change)}`);
  }
  done();
  return exitCodes.ok;
}

const resultOf = ({ action, kind }: Change): string => `${action === 'remove' ? kind.removal : action}d`;

function summaryOf(changes: readonly Change[], where: string): string {
  const counts = new Map<string, number>();
  for (const change of changes) counts.set(resultOf(change), (counts.get(resultOf(change)) ?? 0) + 1);
  const parts = [...counts].map(([word, count]) => `${count} ${word}`);
  return `${countOf(changes.length, 'change')} written to ${where}: ${parts.join(', ')}.`;
}

/** Records the state that a failed write left on the server; returns whether the write changed it. Unknown when the server does not respond. */
async function remember({ client, state }: Compared, { kind, key, before }: Change): Promise<boolean> {
  if (state.baseOf(kind.name)?.[key] !== underWay) return false;
  try {
    const left = hashOf(await kind.find(client, key));
    state.set(kind.name, key, left);
    state.save();
    return left !== hashOf(before);
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error;
    return false;
  }
}

function failure(error: unknown, { kind, key }: Change, hint: string): unknown {
  if (!(error instanceof CliError) && !(error instanceof CarillonError)) return error;
  const param = error instanceof CarillonError && error.param ? ` (${error.param})` : '';
  return new CliError(`${kind.name}/${key}: ${error.message}${param}`, { hint });
}

/** Both sides are known to agree on these. */
function settle({ state, sides }: Compared, plan: Plan): void {
  for (const { kind, key, hash } of plan.equal) state.set(kind.name, key, hash);
  // What neither side has any more is forgotten.
  for (const { kind, local, remote, base } of sides) {
    for (const key of Object.keys(base ?? {}))
      if (!local.has(key) && !remote.has(key)) state.set(kind.name, key, null);
  }
  state.save();
}
