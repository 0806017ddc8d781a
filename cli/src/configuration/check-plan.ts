import { usageError } from '../errors.ts';
import { isCritical } from './categories.ts';
import { hasMergeMarks } from './json-file.ts';
import type { FolderProblem, KindName } from './kind.ts';
import type { Change, Plan, Sides } from './plan.ts';
import { namesOf } from './schedules.ts';
import { type Compared, folderError, type Scope } from './sides.ts';
import { isDefault } from './translations.ts';
import { hasVersion, namedBy } from './workflows.ts';

/** What can be known to fail before the first write. */
export function checkPlan({ context, folder }: Scope, { sides, missing }: Compared, { changes }: Plan): void {
  for (const kind of missing) {
    const gone = changes.filter((change) => change.kind === kind && change.action === 'remove');
    if (gone.length > 0)
      throw usageError(
        `${folder} has no folder ${kind.name}: --prune would delete all ${gone.length}.`,
        `Create the folder ${kind.name} to confirm.`,
      );
  }
  const problems = [
    ...unfinishedMerges(changes),
    ...lostNames(sides, changes),
    ...lostTargets(sides, changes),
    ...changedForGood(changes),
    ...lostDefault(sides, changes),
  ];
  if (problems.length > 0) throw folderError(context, problems);
}

/** Where the server has such marks too, they are what the text is about. */
function unfinishedMerges(changes: Change[]): FolderProblem[] {
  return changes.flatMap(({ before, after }) =>
    [...(after ?? [])]
      .filter(([path, text]) => hasMergeMarks(text) && !hasMergeMarks(before?.get(path) ?? ''))
      .map(([path]) => ({ path, message: 'contains merge conflict markers' })),
  );
}

/** Schedules that name a workflow, template, category or topic which will be nowhere. */
function lostTargets(sides: Sides[], changes: Change[]): FolderProblem[] {
  return changes.flatMap(({ kind, key, after }) => {
    if (kind.name !== 'schedules' || after === null) return [];
    return namesOf(after)
      .filter(([named, , wanted]) => keysAfter(named, sides, changes)?.has(wanted) === false)
      .map(([, noun, wanted]) => ({
        path: `schedules/${key}.json`,
        message: `refers to the ${noun} ${wanted}, which does not exist here or on the server`,
      }));
  });
}

/** Workflows that name a template or a category which will be nowhere. */
function lostNames(sides: Sides[], changes: Change[]): FolderProblem[] {
  const [templates, categories] = [
    keysAfter('templates', sides, changes),
    keysAfter('categories', sides, changes),
  ];
  return changes.flatMap(({ kind, key, after }) => {
    if (kind.name !== 'workflows' || after === null) return [];
    const named = namedBy(after);
    const lost = [
      ...named.templates.filter((each) => templates?.has(each) === false).map((each) => `template ${each}`),
      ...named.categories.filter((each) => categories?.has(each) === false).map((each) => `category ${each}`),
    ];
    return [...new Set(lost)].map((each) => ({
      path: `workflows/${key}.json`,
      message: `refers to the ${each}, which does not exist here or on the server`,
    }));
  });
}

/** The keys of a kind once the push is done; null when it is not part of the push. */
function keysAfter(name: KindName, sides: Sides[], changes: Change[]): Set<string> | null {
  const found = sides.find(({ kind }) => kind.name === name);
  if (!found) return null;
  const keys = new Set([...found.local.keys(), ...found.remote.keys()]);
  for (const { kind, key, action } of changes)
    if (kind === found.kind && action === 'remove') keys.delete(key);
  return keys;
}

function changedForGood(changes: Change[]): FolderProblem[] {
  return changes.flatMap(({ kind, key, before, after }) => {
    if (!before || !after) return [];
    const path = `${kind.name}/${key}.json`;
    if (kind.name === 'categories' && isCritical(before) !== isCritical(after))
      return [{ path, message: ': is_critical cannot be changed' }];
    if (kind.name === 'workflows' && hasVersion(before) && !hasVersion(after))
      return [{ path, message: 'has no body, but a version cannot be removed' }];
    return [];
  });
}

/** Locales of which none would be the default once the push is done. */
function lostDefault(sides: Sides[], changes: Change[]): FolderProblem[] {
  const side = sides.find(({ kind }) => kind.name === 'translations');
  const own = changes.filter(({ kind }) => kind === side?.kind);
  if (!side || own.length === 0) return [];
  const locales = new Map(side.remote);
  for (const { key, after } of own) {
    if (after) locales.set(key, after);
    else locales.delete(key);
  }
  if (locales.size === 0 || [...locales.values()].some(isDefault)) return [];
  return [
    { path: side.kind.name, message: 'has no default locale: call the file of one <locale>.default.json' },
  ];
}
