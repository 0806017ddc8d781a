import { randomBytes } from 'node:crypto';
import { query } from '../../src/db/sql.ts';
import { hashPassword } from '../../src/features/platform/accounts/password.ts';
import type { Role } from '../../src/http/scopes.ts';
import { cookieName } from '../../src/http/session-cookie.ts';
import { sha256 } from '../../src/kernel/crypto.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { TestApp, TestResponse } from './app.ts';

export const password = 'open sesame, please';
let passwordHash: Promise<string> | null = null;

/** Somebody who is signed in to the dashboard. */
export interface TestPerson {
  userId: string;
  email: string;
  cookie: string;
  /** As a page of the dashboard asks; `at` another process of the service. */
  request(method: string, path: string, body?: unknown, at?: TestApp): Promise<TestResponse>;
}

/** Straight into the database: to sign in with a password takes a fifth of a second. */
export async function createPerson(
  app: TestApp,
  memberships: { organizationId: string; role: Role }[] = [],
): Promise<TestPerson> {
  passwordHash ??= hashPassword(password);
  const userId = newId();
  const email = `${userId}@example.com`;
  await query(app.pool, `insert into users (id, email, name, password_hash) values ($1, $2, 'Pat', $3)`, [
    userId,
    email,
    await passwordHash,
  ]);
  for (const { organizationId, role } of memberships) {
    await query(app.pool, 'insert into memberships (organization_id, user_id, role) values ($1, $2, $3)', [
      organizationId,
      userId,
      role,
    ]);
  }
  return personWith(app, { userId, email, cookie: await createSession(app, userId) });
}

/** Another session of the same person; returns its cookie. */
export async function createSession(app: TestApp, userId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await query(
    app.pool,
    `insert into sessions (id, token_hash, user_id, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
    [newId(), sha256(token), userId],
  );
  return `${cookieName('carillon_session', app.deps.publicUrl())}=${token}`;
}

export function personWith(
  app: TestApp,
  person: { userId: string; email: string; cookie: string },
): TestPerson {
  return {
    ...person,
    request: (method, path, body, at = app) =>
      at.request(method, path, {
        key: null,
        body,
        headers: { cookie: person.cookie, 'x-carillon-csrf': '1' },
      }),
  };
}

/** One of its own, made over the API by somebody new, who owns it. */
export async function createOrganization(
  app: TestApp,
): Promise<{ organizationId: string; owner: TestPerson }> {
  const owner = await createPerson(app);
  const made = await owner.request('POST', '/auth/organizations', { name: 'Acme' });
  return { organizationId: made.body.id, owner };
}
