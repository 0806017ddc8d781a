import { presets, type Scope, scopes } from '../../http/scopes.ts';

const presetSets: ReadonlyMap<string, ReadonlySet<Scope>> = new Map(
  Object.entries(presets).map(([preset, members]) => [preset, new Set<Scope>(members)]),
);

/**
 * The scopes of a key. A preset is looked up, not copied into the key, so that `full_access` stays full when a release adds
 * scopes. Names that this release does not know (the database is ahead during a rolling upgrade) grant nothing.
 */
export function grantedScopes(key: {
  preset: string | null;
  scopes: readonly string[] | null;
}): ReadonlySet<Scope> {
  if (key.preset !== null) return presetSets.get(key.preset) ?? new Set();
  return new Set(scopes.filter((scope) => key.scopes?.includes(scope)));
}
