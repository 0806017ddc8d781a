import { crc32 } from 'node:zlib';
import { presets, type Scope, scopes } from '../../../http/scopes.ts';
import { randomBase62, toBase62 } from '../../../kernel/crypto.ts';

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

/**
 * `crl_test_` or `crl_live_`, 32 random characters (190 bits), then their CRC-32. The checksum is for secret scanners, which
 * must recognise a leaked key offline; here only the lookup decides, and a key given at bootstrap may lack it.
 */
export function newSecretKey(kind: 'test' | 'live'): string {
  const random = randomBase62(32);
  return `crl_${kind}_${random}${checksumOf(random)}`;
}

export function checksumOf(random: string): string {
  return toBase62(crc32(random), 6);
}

/** Any other text is refused without a query. */
export function couldBeSecretKey(text: string): boolean {
  return /^crl_(?:test|live)_[0-9A-Za-z]{20,200}$/.test(text);
}
