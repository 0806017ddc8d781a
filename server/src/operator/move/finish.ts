import { type Pool, query, transaction } from '../../db/sql.ts';
import { recordAudit, serviceAuthor } from '../../features/platform/audit/index.ts';
import { sameBytes, sha256 } from '../../kernel/crypto.ts';
import { getOrganization } from './export.ts';
import { lowerFence, resumeWork } from './set-aside.ts';
import { findMove, findOrganization, withMoveLock } from './store.ts';
import { planMove } from './tables.ts';

/**
 * `handover ID RECEIPT URL`: the source gives the organization up, for good. Only now it reveals the code that the target needs to
 * become active, so no operator can make both send.
 */
export function handOver(pool: Pool, organizationId: string, receipt: string, url: string): Promise<string> {
  return transaction(pool, async (tx) => {
    const move = await findMove(tx, organizationId);
    if (!move?.activation_code || move.receipt === null)
      throw new Error('The organization has not been exported here.');
    if (move.receipt !== receipt)
      throw new Error('This is not the receipt of the last export; `import` prints it when it is complete.');
    if (move.state === 'moved' && move.moved_to !== url)
      throw new Error(`The organization was handed over to ${move.moved_to} already.`);
    await query(
      tx,
      `update organization_moves set state = 'moved', moved_to = $2 where organization_id = $1`,
      [organizationId, url],
    );
    return move.activation_code;
  });
}

/** `activate ID CODE`: requests are accepted and work is claimed from the commit on. Returns the number of jobs that waited. */
export function activate(pool: Pool, organizationId: string, code: string): Promise<number> {
  return transaction(pool, async (tx) => {
    const move = await findMove(tx, organizationId);
    if (move?.state !== 'arriving') throw new Error('The organization is not arriving here.');
    const organization = await findOrganization(tx, organizationId);
    if (!organization || move.receipt === null)
      throw new Error('The import is not complete; run `import` again.');
    if (!sameBytes(sha256(code), move.activation_hash))
      throw new Error('The code is wrong; `handover` at the source prints it.');
    await query(tx, 'delete from organization_moves where organization_id = $1', [organizationId]);
    await recordAudit(tx, serviceAuthor(organizationId), {
      action: 'organization.moved',
      target: `organization:${organizationId}`,
    });
    return resumeWork(tx, organization.environmentIds);
  });
}

/** `release ID`: the source goes on sending. The export can no longer be handed over. */
export function release(pool: Pool, organizationId: string): Promise<number> {
  return withMoveLock(pool, organizationId, () => releaseAlone(pool, organizationId));
}

async function releaseAlone(pool: Pool, organizationId: string): Promise<number> {
  await transaction(pool, async (tx) => {
    const move = await findMove(tx, organizationId);
    if (move?.state === 'moved') throw new Error(`The organization has moved to ${move.moved_to}.`);
    if (move?.state !== 'leaving') throw new Error('The organization is not being moved from here.');
    await query(
      tx,
      'update organization_moves set receipt = null, activation_code = null where organization_id = $1',
      [organizationId],
    );
  });
  const { environmentIds } = await getOrganization(pool, organizationId);
  await lowerFence(pool, await planMove(pool, organizationId, environmentIds), organizationId);
  return transaction(pool, async (tx) => {
    await query(tx, 'delete from organization_moves where organization_id = $1', [organizationId]);
    return resumeWork(tx, environmentIds);
  });
}

/**
 * `delete ID`: removes a moved organization from the source, or an unfinished import from the target. People keep their accounts.
 * Children go before parents, so an interrupted run finds the rest when it is repeated.
 */
export async function deleteOrganization(
  pool: Pool,
  organizationId: string,
  print: (line: string) => void,
): Promise<void> {
  const move = await findMove(pool, organizationId);
  if (!move || move.state === 'leaving')
    throw new Error('Only an organization that has moved away, or is not active here yet, can be deleted.');
  const environmentIds = (await findOrganization(pool, organizationId))?.environmentIds ?? [];
  const plan = await planMove(pool, organizationId, environmentIds);
  for (const { name, where } of plan.tables.toReversed()) {
    if (name === 'users') continue;
    const { rowCount } = await pool.query(`delete from ${name} where ${where}`);
    if (rowCount) print(`  ${name}: ${rowCount} rows`);
  }
  await lowerFence(pool, plan, organizationId);
  await query(pool, 'delete from organization_moves where organization_id = $1', [organizationId]);
}
