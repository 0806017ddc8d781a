import type { Static } from 'typebox';
import type { Config } from '../../../config.ts';
import { type Pool, type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Plan, SignedIn } from '../../../http/principal.ts';
import { Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Author, recordAudit, serviceAuthor } from '../audit/index.ts';
import { organizationsOf } from './people-service.ts';
import { findUserByEmail } from './people-store.ts';
import { authorOf, lockTeam, mustManage, type TeamCaller } from './rights.ts';
import type { Organization } from './schema.ts';
import {
  insertEnvironment,
  insertMembership,
  insertOrganization,
  listOrganizationIds,
  lockUser,
  updateOrganizationName,
} from './team-store.ts';

const organizationsPerPerson = 20;

type View = Static<typeof Organization>;

interface NewOrganization {
  id: string;
  name: string;
  plan: Plan;
  testEnvironmentId: string;
  liveEnvironmentId: string;
  ownerId: string;
}

/** Inserts an organization with its owner, Test and Live. Keys are created by the caller. */
export async function insertWholeOrganization(
  tx: Sql,
  organization: NewOrganization,
  author: Author,
): Promise<void> {
  const { id, name, plan, ownerId } = organization;
  await insertOrganization(tx, { id, name, plan, planOwnerId: ownerId });
  await insertMembership(tx, { organizationId: id, userId: ownerId, role: 'owner' });
  for (const environment of [
    { id: organization.testEnvironmentId, kind: 'test', name: 'Test' },
    { id: organization.liveEnvironmentId, kind: 'live', name: 'Live' },
  ] as const) {
    await insertEnvironment(tx, { ...environment, organizationId: id });
  }
  await recordAudit(tx, author, {
    action: 'organization.created',
    target: `organization:${id}`,
    after: { name, plan },
  });
}

export async function createOrganization(
  { pool, config, authenticator }: Pick<Deps, 'pool' | 'config' | 'authenticator'>,
  person: SignedIn,
  name: string,
  requestId: string,
): Promise<View> {
  if (config.CARILLON_SELF_SERVICE_ORGANIZATIONS === 'off') {
    throw new Problem('self_service_disabled', 'Only the operator can create organizations on this service.');
  }
  const id = newId();
  const created = await transaction(pool, async (tx) => {
    await lockUser(tx, person.userId); // without the lock, concurrent requests would each pass the limit
    if ((await listOrganizationIds(tx, person.userId)).length >= organizationsPerPerson) {
      throw new Problem(
        'team_limit_reached',
        `You belong to ${organizationsPerPerson} organizations, which is the maximum.`,
      );
    }
    await insertWholeOrganization(
      tx,
      {
        id,
        name,
        plan: config.CARILLON_PLAN,
        testEnvironmentId: newId(),
        liveEnvironmentId: newId(),
        ownerId: person.userId,
      },
      authorOf({ person, organizationId: id, requestId }),
    );
    return getView(tx, person, id);
  });
  authenticator.forget(); // the cached answer that the person has no environment is outdated
  return created;
}

/** For the operator of the machine. Resolves to false when no account has this email. */
export async function createOrganizationFor(
  pool: Pool,
  config: Pick<Config, 'CARILLON_PLAN'>,
  ownerEmail: string,
  name: string,
): Promise<boolean> {
  return transaction(pool, async (tx) => {
    const owner = await findUserByEmail(tx, ownerEmail);
    if (!owner) return false;
    const id = newId();
    await insertWholeOrganization(
      tx,
      {
        id,
        name,
        plan: config.CARILLON_PLAN,
        testEnvironmentId: newId(),
        liveEnvironmentId: newId(),
        ownerId: owner.id,
      },
      serviceAuthor(id),
    );
    return true;
  });
}

export async function renameOrganization(
  { pool }: Pick<Deps, 'pool'>,
  caller: TeamCaller,
  name: string,
): Promise<View> {
  const { person, organizationId } = caller;
  return transaction(pool, async (tx) => {
    mustManage(await lockTeam(tx, caller));
    const former = await updateOrganizationName(tx, organizationId, name);
    await recordAudit(tx, authorOf(caller), {
      action: 'organization.updated',
      target: `organization:${organizationId}`,
      before: { name: former },
      after: { name },
    });
    return getView(tx, person, organizationId);
  });
}

async function getView(tx: Sql, { userId }: SignedIn, id: string): Promise<View> {
  const found = (await organizationsOf(tx, userId)).find((each) => each.id === id);
  if (!found) throw new Error('a new organization was not found after its insert');
  return found;
}
