import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { loadConfig } from '../../../config.ts';
import { createPool, type Pool, query } from '../../../db/sql.ts';
import { type Role, roles, scopes } from '../../../http/scopes.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import type { Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { createLog } from '../../../kernel/log.ts';
import { createAuthenticator } from './authenticator.ts';
import { bootstrap, type Credentials } from './bootstrap.ts';
import { createKey, revokeKey, rotateKey } from './keys-service.ts';
import { deleteSession, insertSession } from './people-store.ts';

let db: TestDatabase;
let pool: Pool;
let made: Credentials;
let folder: string;

beforeAll(async () => {
  db = await createTestDatabase();
  pool = db.pool;
  folder = await mkdtemp(join(tmpdir(), 'carillon-authenticator-'));
  const config = loadConfig({ CARILLON_DATA_DIR: folder }, folder);
  const credentials = await bootstrap({ pool, config, log: createLog('silent') });
  if (!credentials) throw new Error('nothing was made');
  made = credentials;
});

afterAll(async () => {
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

/** A key of its own for a test, and an authenticator that made it. */
async function freshKey(expiresAt: string | null = null) {
  const authenticator = createAuthenticator(pool, systemClock);
  const principal = await authenticator.byKey(made.test_key);
  const caller = { principal, requestId: 'test', client: { ipAddress: null, userAgent: null } };
  const deps = { pool, clock: systemClock, authenticator };
  const issued = await createKey(deps, caller, { name: 'one', preset: 'send_only', expires_at: expiresAt });
  return { deps, caller, id: issued.row.id, secret: issued.secret };
}

/** Counts the queries that go through a pool. */
function counting(over: Pool): { pool: Pool; queries: () => number } {
  let queries = 0;
  const counted = new Proxy(over, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name);
      return (...args: [never]) => {
        queries += 1;
        return target.query(...args);
      };
    },
  });
  return { pool: counted, queries: () => queries };
}

async function codeOf(ask: () => unknown): Promise<string> {
  try {
    await ask();
    return 'accepted';
  } catch (error) {
    return (error as Problem).code;
  }
}

describe('keys', () => {
  test.each(['', 'nonsense', 'crl_test_short', 'crl_test_000000000000000000000000000000000000AB'])(
    '%j is refused',
    async (secret) => {
      expect(await codeOf(() => createAuthenticator(pool, systemClock).byKey(secret))).toBe(
        'invalid_credentials',
      );
    },
  );

  test('a key that was just seen costs no query, and neither does a wrong one', async () => {
    const { secret } = await freshKey();
    const counted = counting(pool);
    const authenticator = createAuthenticator(counted.pool, systemClock);
    const wrong = `crl_test_${'0'.repeat(38)}`;
    await authenticator.byKey(secret);
    await codeOf(() => authenticator.byKey(wrong));
    const after = counted.queries();
    for (let round = 0; round < 20; round++) {
      await authenticator.byKey(secret);
      await codeOf(() => authenticator.byKey(wrong));
    }
    expect(counted.queries()).toBe(after);
  });

  test('requests that arrive together share one query', async () => {
    const { secret } = await freshKey();
    const counted = counting(pool);
    const authenticator = createAuthenticator(counted.pool, systemClock);
    await Promise.all(Array.from({ length: 50 }, () => authenticator.byKey(secret)));
    expect(counted.queries()).toBe(2); // the look-up, and the note that it was used
  });

  test('a failed look-up is not remembered', async () => {
    const { secret } = await freshKey();
    let broken = true;
    const flaky = new Proxy(pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name);
        return (...args: [never]) => (broken ? Promise.reject(new Error('away')) : target.query(...args));
      },
    });
    const authenticator = createAuthenticator(flaky, systemClock);
    await expect(authenticator.byKey(secret)).rejects.toThrow('away');
    broken = false;
    expect((await authenticator.byKey(secret)).preset).toBe('send_only');
  });

  test('an expired key is refused from that very moment, even when it is remembered', async () => {
    const start = Date.now();
    const { secret } = await freshKey(new Date(start + 60_000).toISOString());
    let now = start;
    const authenticator = createAuthenticator(pool, () => now);
    expect(await codeOf(() => authenticator.byKey(secret))).toBe('accepted');
    now = start + 59_999;
    expect(await codeOf(() => authenticator.byKey(secret))).toBe('accepted');
    now = start + 60_000;
    expect(await codeOf(() => authenticator.byKey(secret))).toBe('expired_credentials');
  });

  test('a revoked key is refused at once here, and within two seconds by every other process', async () => {
    const { deps, caller, id, secret } = await freshKey();
    const elsewhere = createPool(db.url, 2);
    const other = createAuthenticator(elsewhere, systemClock);
    expect(await codeOf(() => deps.authenticator.byKey(secret))).toBe('accepted');
    expect(await codeOf(() => other.byKey(secret))).toBe('accepted');

    await revokeKey(deps, caller, id);
    const revokedAt = performance.now();
    expect(await codeOf(() => deps.authenticator.byKey(secret))).toBe('revoked_credentials');
    // Asked without a pause, so that an answer which lived on by being used would be caught.
    await expect
      .poll(() => codeOf(() => other.byKey(secret)), { interval: 5, timeout: 5000 })
      .toBe('revoked_credentials');
    expect(performance.now() - revokedAt).toBeLessThan(2000);
    await elsewhere.end();
  });

  test('a rotated key lives for its grace and no longer', async () => {
    const { deps, caller, id, secret } = await freshKey();
    const fresh = await rotateKey(deps, caller, id, 3600);
    expect(await codeOf(() => deps.authenticator.byKey(secret))).toBe('accepted');
    expect(await codeOf(() => deps.authenticator.byKey(fresh.secret))).toBe('accepted');
    const later = createAuthenticator(pool, () => Date.now() + 3_601_000);
    expect(await codeOf(() => later.byKey(secret))).toBe('expired_credentials');
    expect(await codeOf(() => later.byKey(fresh.secret))).toBe('accepted');
  });

  test('the use of a key is noted', async () => {
    const { deps, id, secret } = await freshKey();
    await deps.authenticator.byKey(secret);
    await expect
      .poll(
        async () =>
          (await query(pool, 'select 1 from api_keys where id = $1 and last_used_at is not null', [id]))
            .length,
      )
      .toBe(1);
  });
});

describe('sessions', () => {
  async function person(
    memberships: { organizationId: string; role: Role }[],
    expiresAt = new Date(Date.now() + 60_000),
  ) {
    const userId = newId();
    await query(pool, `insert into users (id, email, name, password_hash) values ($1, $2, 'P', '')`, [
      userId,
      `${userId}@example.com`,
    ]);
    for (const { organizationId, role } of memberships) {
      await query(pool, 'insert into memberships (organization_id, user_id, role) values ($1, $2, $3)', [
        organizationId,
        userId,
        role,
      ]);
    }
    const token = `token-${userId}`;
    const sessionId = newId();
    await insertSession(pool, {
      id: sessionId,
      tokenHash: sha256(token),
      userId,
      passwordHash: '',
      expiresAt,
    });
    return { token, userId, sessionId };
  }

  test.each(roles)('the role %s has its scopes', async (role) => {
    const { token, userId } = await person([{ organizationId: made.organization_id, role }]);
    const principal = await createAuthenticator(pool, systemClock).bySession(token, made.live_environment_id);
    expect(principal).toMatchObject({
      kind: 'user',
      id: userId,
      userId,
      environmentKind: 'live',
      environmentId: made.live_environment_id,
      preset: null,
    });
    const expected = {
      owner: [...scopes],
      admin: [...scopes],
      developer: scopes.filter((scope) => !scope.startsWith('keys:')),
      viewer: scopes.filter((scope) => scope.endsWith(':read') && !scope.startsWith('keys:')),
    };
    expect([...principal.scopes]).toEqual(expected[role]);
  });

  test('without a wanted environment it is the Test environment of the first organization', async () => {
    const { token } = await person([{ organizationId: made.organization_id, role: 'viewer' }]);
    const principal = await createAuthenticator(pool, systemClock).bySession(token, undefined);
    expect(principal.environmentId).toBe(made.test_environment_id);
  });

  test('an environment of another organization, or none at all, does not exist', async () => {
    const stranger = newId();
    await query(pool, `insert into organizations (id, name, plan) values ($1, 'Other', 'free')`, [stranger]);
    const foreign = newId();
    await query(
      pool,
      `insert into environments (id, organization_id, kind, name) values ($1, $2, 'test', 'T')`,
      [foreign, stranger],
    );
    const { token } = await person([{ organizationId: made.organization_id, role: 'owner' }]);
    const authenticator = createAuthenticator(pool, systemClock);
    for (const wanted of [foreign, newId(), 'nonsense', '']) {
      expect(await codeOf(() => authenticator.bySession(token, wanted))).toBe('resource_not_found');
    }
    const { token: homeless } = await person([]);
    expect(await codeOf(() => authenticator.bySession(homeless, undefined))).toBe('resource_not_found');
  });

  test('a session that is not used ends, and one that is used goes on until its expiry', async () => {
    const hour = 3_600_000;
    let now = Date.now();
    const authenticator = createAuthenticator(pool, () => now, 2 * hour);
    const week = new Date(now + 168 * hour);
    const { token, sessionId } = await person(
      [{ organizationId: made.organization_id, role: 'owner' }],
      week,
    );
    const seenAt = (at: number) =>
      query(pool, 'update sessions set last_seen_at = $2 where id = $1', [sessionId, new Date(at)]);
    const both = async () => {
      authenticator.forget();
      return [
        await codeOf(() => authenticator.bySession(token, undefined)),
        await codeOf(() => authenticator.personOf(token)),
      ];
    };
    expect(await both()).toEqual(['accepted', 'accepted']);
    now += 2.1 * hour;
    expect(await both()).toEqual(['expired_credentials', 'expired_credentials']);
    for (let used = 0; used < 3; used++) {
      await seenAt(now);
      now += 1.9 * hour;
      expect(await both()).toEqual(['accepted', 'accepted']);
    }
    now = week.getTime() + 1;
    await seenAt(now);
    expect(await both()).toEqual(['expired_credentials', 'expired_credentials']);
  });

  test.each(['bySession', 'personOf'] as const)('the use of a session is noted (%s)', async (look) => {
    const { token, sessionId } = await person([{ organizationId: made.organization_id, role: 'owner' }]);
    await query(pool, `update sessions set last_seen_at = now() - interval '1 hour' where id = $1`, [
      sessionId,
    ]);
    await createAuthenticator(pool, systemClock)[look](token, undefined);
    const recent = `select from sessions where id = $1 and last_seen_at > now() - interval '1 minute'`;
    await expect.poll(async () => (await query(pool, recent, [sessionId])).length).toBe(1);
  });

  test('unknown, expired and ended sessions are refused', async () => {
    const authenticator = createAuthenticator(pool, systemClock);
    expect(await codeOf(() => authenticator.bySession('nothing', undefined))).toBe('invalid_credentials');
    expect(await codeOf(() => authenticator.bySession('nothing', 'nonsense'))).toBe('invalid_credentials');

    const old = await person(
      [{ organizationId: made.organization_id, role: 'owner' }],
      new Date(Date.now() - 1),
    );
    expect(await codeOf(() => authenticator.bySession(old.token, undefined))).toBe('expired_credentials');

    const ended = await person([{ organizationId: made.organization_id, role: 'owner' }]);
    expect(await codeOf(() => authenticator.bySession(ended.token, undefined))).toBe('accepted');
    await deleteSession(pool, ended.userId, ended.sessionId);
    await expect
      .poll(() => codeOf(() => authenticator.bySession(ended.token, undefined)), { timeout: 2000 })
      .toBe('invalid_credentials');
  });
});
