import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { query } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import { createLog } from '../../../kernel/log.ts';
import { createIncidentBoard, resolveIncident } from '../incidents/index.ts';
import { forgetHealth } from './health-store.ts';
import { isPublic, publishOutages, type SharedOutage } from './public-outages.ts';

describe('an outage is public', () => {
  const at = (minute: number) => new Date(minute * 60_000);
  const outage = (more: Partial<SharedOutage>): SharedOutage => ({
    provider: 'ses',
    failing: 1,
    total: 1,
    latest: at(10),
    ...more,
  });
  const active = { active_id: newId(), resolved_at: null };
  const resolved = (minute: number) => ({ active_id: null, resolved_at: at(minute) });

  test.each<[string, boolean, Partial<SharedOutage>, Parameters<typeof isPublic>[1], number]>([
    ['not for one tenant of several', false, {}, undefined, 2],
    ['for the only tenant', true, {}, undefined, 1],
    ['for two tenants', true, { failing: 2, total: 4 }, undefined, 9],
    ['not for two of five who use the provider', false, { failing: 2, total: 5 }, undefined, 9],
    ['still for two of five once it was for half', true, { failing: 2, total: 5 }, active, 9],
    ['no longer for the last one of several', false, { failing: 1, total: 5 }, active, 9],
    ['for one user of the managed relay', true, { provider: 'managed' }, undefined, 9],
    ['not for one of three users of the relay', false, { provider: 'managed', total: 3 }, undefined, 9],
    ['not again after the operator resolved it', false, {}, resolved(11), 1],
    ['again when another one began later', true, {}, resolved(9), 1],
  ])('%s', (_name, expected, more, last, organizations) => {
    expect(isPublic(outage(more), last, organizations)).toBe(expected);
  });
});

describe('the status page', () => {
  let database: TestDatabase;
  let tenants: { environmentId: string; providerId: string }[];
  const log = createLog('fatal');

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.pool.query(`truncate incidents, incident_updates, provider_health, provider_health_counts,
      email_settings, environments, organizations cascade`);
    tenants = [await createTenant('Secret Corp'), await createTenant('Hidden Ltd')];
  });

  async function createTenant(name: string) {
    const [organizationId, environmentId, providerId] = [newId(), newId(), newId()];
    const run = (text: string, values: unknown[]) => query(database.pool, text, values);
    await run(`insert into organizations (id, name, plan) values ($1, $2, 'free')`, [organizationId, name]);
    await run(`insert into environments (id, organization_id, name, kind) values ($1, $2, $3, 'live')`, [
      environmentId,
      organizationId,
      name,
    ]);
    const providers = [{ id: providerId, kind: 'sendgrid', name: `${name} mail`, enabled: true, config: {} }];
    await run('insert into email_settings (environment_id, providers) values ($1, $2)', [
      environmentId,
      JSON.stringify(providers),
    ]);
    return { environmentId, providerId };
  }

  async function fail(index: number, provider?: string): Promise<void> {
    const { environmentId = '', providerId } = tenants[index] ?? {};
    await query(
      database.pool,
      `insert into provider_health (environment_id, provider, outage_id, firing_since) values ($1, $2, $3, now())
       on conflict (environment_id, provider) do update set outage_id = excluded.outage_id, firing_since = now()`,
      [environmentId, provider ?? providerId, newId()],
    );
  }

  async function recover(index: number): Promise<void> {
    await query(
      database.pool,
      'update provider_health set outage_id = null, firing_since = null where environment_id = $1',
      [tenants[index]?.environmentId],
    );
  }

  async function shown() {
    // Several processes do this at once.
    await Promise.all([1, 2, 3].map(() => publishOutages(database.pool, log)));
    return createIncidentBoard({ pool: database.pool, clock: Date.now })();
  }

  test('tells of an outage that two tenants have, without a word about them, until it ends', async () => {
    await fail(0);
    expect(await shown()).toEqual({ active: [], recent: [] });
    await fail(1);
    const { active } = await shown();
    expect(active).toMatchObject([
      {
        title: 'Email provider outage (SendGrid)',
        source: 'provider',
        status: 'active',
        resolved_at: null,
        updates: [{ message: expect.stringContaining('retried') }],
      },
    ]);
    const text = JSON.stringify(active);
    for (const { environmentId, providerId } of tenants)
      for (const secret of ['Secret', 'Hidden', environmentId, providerId])
        expect(text).not.toContain(secret);

    await recover(0);
    const after = await shown();
    expect(after.active).toEqual([]);
    expect(after.recent).toMatchObject([
      {
        id: active[0]?.id,
        status: 'resolved',
        updates: [{ message: 'The outage has ended.' }, { message: expect.any(String) }],
      },
    ]);
  });

  test('tells of an outage of the managed relay', async () => {
    await fail(0, 'managed');
    expect((await shown()).active).toMatchObject([{ title: 'Email provider outage' }]);
  });

  test('tells of an outage of an SMS provider, and not of the kind http, whose services differ', async () => {
    for (const [index, { environmentId }] of tenants.entries()) {
      if (index > 1) continue;
      const chain = ['smsone', 'http'].map((kind) => ({
        id: newId(),
        kind,
        name: kind,
        enabled: true,
        config: {},
      }));
      await query(database.pool, 'insert into sms_settings (environment_id, providers) values ($1, $2)', [
        environmentId,
        JSON.stringify(chain),
      ]);
      for (const { id } of chain) await fail(index, id);
    }
    expect((await shown()).active).toMatchObject([{ title: 'SMS provider outage (Twilio)' }]);
  });

  test('does not tell of an outage whose provider was removed', async () => {
    await Promise.all([fail(0), fail(1)]);
    expect((await shown()).active).toHaveLength(1);
    const { environmentId = '', providerId = '' } = tenants[0] ?? {};
    await forgetHealth(database.pool, environmentId, [providerId], []);
    expect((await shown()).active).toEqual([]);
  });

  test('does not tell again what an operator resolved, unless it begins anew', async () => {
    await Promise.all([fail(0), fail(1)]);
    const [incident] = (await shown()).active;
    await resolveIncident(database.pool, incident?.id ?? '', 'A false alarm.');
    expect((await shown()).active).toEqual([]);
    await fail(0);
    expect((await shown()).active).toHaveLength(1);
  });
});
