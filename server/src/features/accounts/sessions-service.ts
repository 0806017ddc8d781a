import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { Problem } from '../../kernel/errors.ts';
import type { Gate } from './gate.ts';
import { verifyPassword } from './password.ts';
import type { Person } from './schema.ts';
import {
  countLoginFailure,
  deleteLoginFailures,
  deleteSession,
  findSession,
  findUserByEmail,
  insertSession,
  takeBackLoginFailure,
} from './sessions-store.ts';
import { listMemberships } from './tenants-store.ts';

export const sessionSeconds = 7 * 24 * 3600;
const windowSeconds = 15 * 60;
const failuresPerEmail = 10;
const failuresPerAddress = 50;

/**
 * Returns the token of a new session. Every try is counted as a failure before the password is looked at and taken back
 * when it was right, so that tries which race each other, in any number of processes, get no more guesses than the limit.
 */
export function login(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  gate: Gate,
  attempt: { email: string; password: string; address: string },
): Promise<string> {
  return gate.run(async () => {
    const email = attempt.email.trim().toLowerCase();
    const byAddress = sha256(`address:${attempt.address}`);
    const byEmail = sha256(`email:${email}`);
    // The address goes first: a throttled one cannot fill the table with made-up emails.
    await countTry(pool, byAddress, failuresPerAddress);
    await countTry(pool, byEmail, failuresPerEmail);

    const user = await findUserByEmail(pool, email);
    const right = await verifyPassword(attempt.password, user?.password_hash ?? null);
    if (!user || !right) throw new Problem('invalid_credentials', 'The email or the password is wrong.');

    const token = randomBytes(32).toString('base64url');
    await transaction(pool, async (tx) => {
      await insertSession(tx, sha256(token), user.id, new Date(clock() + sessionSeconds * 1000));
      await takeBackLoginFailure(tx, byAddress);
      await deleteLoginFailures(tx, byEmail);
    });
    return token;
  });
}

async function countTry(sql: Sql, subject: Buffer, limit: number): Promise<void> {
  const { failures, secondsLeft } = await countLoginFailure(sql, subject, windowSeconds);
  if (failures > limit) {
    throw new Problem('rate_limited', 'Too many failed sign-ins. Try again later.', {
      headers: { 'retry-after': String(Math.max(1, secondsLeft)) },
    });
  }
}

export async function logout(deps: Pick<Deps, 'pool' | 'authenticator'>, token: string): Promise<void> {
  await deleteSession(deps.pool, sha256(token));
  deps.authenticator.forget();
}

export async function describePerson(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  token: string,
): Promise<Static<typeof Person>> {
  const session = await findSession(pool, sha256(token));
  if (!session) throw new Problem('invalid_credentials', 'This session is not valid.');
  if (session.expires_at.getTime() <= clock()) {
    throw new Problem('expired_credentials', 'This session has expired.');
  }

  const organizations = new Map<string, Static<typeof Person>['organizations'][number]>();
  for (const row of await listMemberships(pool, session.user_id)) {
    const organization = organizations.get(row.organization_id) ?? {
      id: row.organization_id,
      name: row.organization_name,
      role: row.role,
      environments: [],
    };
    organization.environments.push({
      id: row.id,
      name: row.name,
      kind: row.kind,
      created_at: row.created_at.toISOString(),
    });
    organizations.set(organization.id, organization);
  }
  return {
    user_id: session.user_id,
    email: session.email,
    name: session.name,
    organizations: [...organizations.values()],
  };
}
