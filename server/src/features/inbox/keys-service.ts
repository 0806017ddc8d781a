import { lockEnvironment } from '../../db/locks.ts';
import { sealedText } from '../../db/reseal.ts';
import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { Caller, Principal } from '../../http/principal.ts';
import { moveProblem } from '../../http/problem.ts';
import { type Keyring, randomBase62 } from '../../kernel/crypto.ts';
import { newId } from '../../kernel/ids.ts';
import { recordAudit } from '../platform/audit/index.ts';
import { mintToken } from './token.ts';
import * as store from './tokens-store.ts';

export type KeyDeps = Pick<Deps, 'pool' | 'keyring' | 'clock'>;

/** The signing keys of an environment. Applications that mint their own tokens keep a copy; ours is sealed. */
export interface SigningKeys {
  organizationId: string;
  /** The keys that verify tokens; the first one signs. */
  keys: [string, ...string[]];
}

interface TokenRequest {
  externalUserId: string;
  scope: string;
  ttlSeconds: number;
}

const keyContext = (id: string): string => `inbox_key:${id}`;
const newSigningKey = (): string => `csi_${randomBase62(43)}`; // 256 bits

export const inboxSealedColumns = [
  sealedText({ table: 'inbox_keys', key: 'id', column: 'sealed_key', remake: newSigningKey }, ({ id = '' }) =>
    keyContext(id),
  ),
];

/** Resolves to null when the environment has no key yet, or does not exist. */
export async function findSigningKeys(
  { pool, keyring, clock }: KeyDeps,
  environmentId: string,
): Promise<SigningKeys | null> {
  return opened(keyring, await store.listKeys(pool, environmentId, new Date(clock())));
}

export async function issueToken(deps: KeyDeps, principal: Principal, request: TokenRequest) {
  const { environmentId } = principal;
  const found = await findSigningKeys(deps, environmentId);
  const [signingKey] = (found ?? (await createFirstKey(deps, environmentId))).keys;
  return mintToken(signingKey, { environmentId, ...request }, deps.clock());
}

/** An environment gets its key on first use. That key was never shown: rotate to get one that is. */
async function createFirstKey(deps: KeyDeps, environmentId: string): Promise<SigningKeys> {
  await transaction(deps.pool, async (tx) => {
    await lockEnvironment(tx, environmentId);
    const keys = await store.listKeys(tx, environmentId, new Date(deps.clock()));
    if (keys.length === 0) await insertNewKey(tx, deps.keyring, environmentId);
  });
  const made = await findSigningKeys(deps, environmentId);
  if (!made) throw new Error('the environment has no inbox signing key');
  return made;
}

/** Creates a new key, which is shown only this once. Earlier keys verify tokens for the overlap, and sign none. */
export async function rotateKey(
  deps: KeyDeps,
  caller: Caller,
  overlap: number,
): Promise<{ signingKey: string; previousValidUntil: Date }> {
  const { environmentId } = caller.principal;
  const previousValidUntil = new Date(deps.clock() + overlap * 1000);
  const signingKey = await transaction(deps.pool, async (tx) => {
    await lockEnvironment(tx, environmentId);
    await store.markKeysRetiring(tx, environmentId, previousValidUntil);
    await recordAudit(tx, caller, {
      action: 'inbox_key.rotated',
      target: `environment:${environmentId}`,
      after: { overlap_seconds: overlap },
    });
    return insertNewKey(tx, deps.keyring, environmentId);
  });
  return { signingKey, previousValidUntil };
}

async function insertNewKey(sql: Sql, keyring: Keyring, environmentId: string): Promise<string> {
  const id = newId();
  const signingKey = newSigningKey();
  await store.insertKey(sql, { id, environmentId, sealedKey: keyring.seal(signingKey, keyContext(id)) });
  return signingKey;
}

function opened(keyring: Keyring, rows: store.InboxKeyRow[]): SigningKeys | null {
  const [first, ...rest] = rows;
  if (!first) return null;
  if (first.move) throw moveProblem({ state: first.move, movedTo: first.moved_to });
  const open = (row: store.InboxKeyRow): string => keyring.open(row.sealed_key, keyContext(row.id));
  return { organizationId: first.organization_id, keys: [open(first), ...rest.map(open)] };
}
