import { type Files, hashOf, type Kind, type LocalResource } from './kind.ts';
import { underWay } from './state.ts';

/** One resource that is to become another on one side: in the service (push) or in the folder (pull). */
export interface Change {
  kind: Kind;
  key: string;
  action: 'create' | 'update' | 'remove';
  before: Files | null;
  after: Files | null;
  /** Why it must not simply be done. */
  conflict: string | null;
  /** Files on the disk, for a pull. */
  paths: string[];
}

export interface Plan {
  changes: Change[];
  /** What is on the other side alone, or differs, and stays as it is; and why. */
  kept: { kind: Kind; key: string; why: string }[];
  /** Equal on both sides. */
  equal: { kind: Kind; key: string; hash: string }[];
}

/** The two sides of one kind, and what they had in common when they last met. */
export interface Sides {
  kind: Kind;
  local: ReadonlyMap<string, LocalResource>;
  remote: ReadonlyMap<string, Files>;
  /** Null: they never met. */
  base: Readonly<Record<string, string>> | null;
  /** Only these, if any are named. */
  keys: readonly string[];
}

type Verdict =
  | { action: Change['action']; conflict?: string | false | null }
  | { kept: string | null }
  | { equal: true };

interface Meeting {
  local: string | null;
  remote: string | null;
  base: string | null;
  /** The two have met, though perhaps not over this resource. */
  met: boolean;
  prune: boolean;
}

export function planPush(sides: Sides[], prune: boolean): Plan {
  return plan(sides, prune, 'push', ({ local, remote, base, met, prune }) => {
    if (local === remote) return { equal: true };
    const unseen = met && base === null && 'also exists on the server, created there since the last pull';
    const changed = base !== null && remote !== base && 'was changed on the server since the last pull';
    if (local === null)
      return prune ? { action: 'remove', conflict: unseen || changed } : { kept: 'only on the server' };
    if (remote === null)
      return { action: 'create', conflict: base !== null && 'was deleted on the server since the last pull' };
    return { action: 'update', conflict: unseen || changed };
  });
}

export function planPull(sides: Sides[], prune: boolean): Plan {
  return plan(sides, prune, 'pull', ({ local, remote, base, prune }) => {
    if (local === remote) return { equal: true };
    if (local === null) return { action: 'create' }; // a file that is not there is nothing to lose
    if (remote === null) {
      if (local !== base)
        return { kept: base === null ? 'only here' : 'deleted on the server, changed here' };
      return prune ? { action: 'remove' } : { kept: 'deleted on the server' };
    }
    if (remote === base) return { kept: 'changed here' };
    return {
      action: 'update',
      conflict:
        local !== base &&
        (base === null ? 'also exists here and differs' : 'was changed here and on the server'),
    };
  });
}

function plan(
  sides: Sides[],
  prune: boolean,
  direction: 'push' | 'pull',
  judge: (meeting: Meeting) => Verdict,
): Plan {
  const made: Plan = { changes: [], kept: [], equal: [] };
  for (const { kind, local, remote, base, keys } of sides) {
    const all = [...new Set([...local.keys(), ...remote.keys()])].sort();
    for (const key of all.filter((each) => keys.length === 0 || keys.includes(each))) {
      const here = local.get(key)?.files ?? null;
      const there = remote.get(key) ?? null;
      const [localHash, remoteHash] = [hashOf(here), hashOf(there)];
      const known = base && Object.hasOwn(base, key) ? (base[key] ?? null) : null;
      const met = base !== null && known !== underWay;
      const common = known === underWay ? null : known;
      const verdict = judge({ local: localHash, remote: remoteHash, base: common, met, prune });
      if ('equal' in verdict) made.equal.push({ kind, key, hash: localHash ?? '' });
      else if ('kept' in verdict) made.kept.push({ kind, key, why: verdict.kept ?? '' });
      else {
        const [before, after] = direction === 'push' ? [there, here] : [here, there];
        const { action, conflict } = verdict;
        const paths = local.get(key)?.paths ?? [];
        const goal = action === 'remove' ? null : after;
        made.changes.push({ kind, key, action, before, after: goal, conflict: conflict || null, paths });
      }
    }
  }
  return { ...made, changes: inSafeOrder(made.changes) };
}

/** What others name is made before them and removed after them. Kinds come in the order of `kindNames`. */
function inSafeOrder(changes: Change[]): Change[] {
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  const ordered = kinds.flatMap((kind) => {
    const own = changes.filter((change) => change.kind === kind);
    return kind.order?.(own) ?? own;
  });
  const writes = ordered.filter(({ action }) => action !== 'remove');
  const removals = ordered.filter(({ action }) => action === 'remove').reverse();
  return [...writes, ...removals];
}
