import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/harness/app.ts';
import { type Channel, channels } from '../../../../channels/contract.ts';
import type { DeliveryPlan, NoPlan } from '../../../../channels/delivery-plan.ts';
import { newId } from '../../../../kernel/ids.ts';
import type { DispatchRow } from '../store.ts';
import { channelPlanners, type PlannerDeps, preparePlans } from './channel-planners.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** A service, with everything in it, that throws when it is called. */
const untouchable: never = new Proxy(() => {}, {
  get: () => untouchable,
  apply() {
    throw new Error('a Live service was touched');
  },
}) as never;

const address: Record<Channel, string> = {
  email: 'ada@example.com',
  in_app: 'ada',
  webhook: 'https://example.com/hook',
  sms: '+447700900123',
  chatone: 'C024BE91L',
  chattwo: 'team',
  chatthree: 'team',
};

async function planOn(
  channel: Channel,
  kind: 'test' | 'live',
  url: string | null = 'https://example.com',
): Promise<DeliveryPlan | NoPlan> {
  const endpoint = {
    ...{ id: 'endpoint', key: 'team', revision: 1, status: 'active' as const, last_failure_reason: null },
    ...{ default_username: null, default_avatar_url: null, url },
  };
  const target = { url: address.webhook, secrets: [], timeoutMs: 1_000, concurrencyKey: 'target' };
  const deps: PlannerDeps = {
    ...app.services,
    tasks: app.deps.tasks.unlimited,
    outbound: untouchable,
    emailConnections: untouchable,
    smsConnections: untouchable,
    webhookTargets: { targetsOf: async (due) => new Map(due.map(({ id }) => [id, target])) },
    chatoneTargets: { targetsOf: async () => () => ({ id: 'installation' }), carrierTo: untouchable },
    chatTargets: { targetsOf: async () => () => endpoint, health: untouchable },
  };
  const due = {
    ...{ id: newId(), environment_id: app.testEnvironmentId, environment_kind: kind, settings_version: null },
    ...{ channel, address: address[channel], external_user_id: 'ada', subject: 'Hello', html_body: null },
    ...{ text_body: 'Hello', template_data: {}, structured: [], attachments: null, inbox_extras: null },
    ...{ action_url: null, from_name: null, reply_to: null, connection_id: 'endpoint' },
  } as unknown as DispatchRow;
  const planFor = await preparePlans(channelPlanners(deps), [due]);
  return planFor(due, {});
}

describe.each(channels)('%s', (channel) => {
  it('has no carrier but the sandbox in Test, touches no Live service and has no concurrency limit', async () => {
    const plan = await planOn(channel, 'test');
    expect(plan).toMatchObject({ carriers: [{ name: 'sandbox', kind: 'sandbox' }] });
    if ('problem' in plan) throw new Error(plan.problem);
    expect(plan.carriers).toHaveLength(1);
    expect(plan.carriers[0]).toHaveProperty('isLocal', true);
    const outcome = await plan.carriers[0].send(
      plan.message(1, plan.carriers[0]),
      AbortSignal.timeout(5_000),
    );
    expect(outcome.kind).toBe('accepted');
  });

  it('goes to its Live service in Live', async () => {
    const plan = planOn(channel, 'live');
    if (channel === 'in_app') await expect(plan).resolves.toMatchObject({ carriers: [{ kind: 'inbox' }] });
    else if (channel === 'webhook')
      await expect(plan).resolves.toMatchObject({
        carriers: [{ kind: 'webhook' }],
        concurrencyKey: 'target',
      });
    else await expect(plan).rejects.toThrow('a Live service was touched');
  });
});

it.each(['chattwo', 'chatthree'] as const)(
  'an endpoint of %s without a readable URL works in Test alone',
  async (channel) => {
    expect(await planOn(channel, 'test', null)).toMatchObject({ carriers: [{ kind: 'sandbox' }] });
    expect(await planOn(channel, 'live', null)).toMatchObject({ reason: 'endpoint_unusable' });
  },
);
