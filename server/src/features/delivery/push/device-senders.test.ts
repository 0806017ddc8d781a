import { expect, it } from 'vitest';
import { createDeviceSenders } from './device-senders.ts';

it('an environment of Test has the sandbox as its only sender, and its push services are not loaded', async () => {
  const stored: string[] = [];
  const loaded: string[] = [];
  const sendersFor = createDeviceSenders({
    clock: Date.now,
    keyring: { seal: () => '', open: () => '{}' } as never,
    sandboxStore: { add: async (row: string) => void stored.push(row) } as never,
    pushConnections: {
      async connectionsFor(environments) {
        loaded.push(...environments.map(({ id }) => id));
        return new Map();
      },
    },
  });
  const senders = await sendersFor([
    { id: 'a', kind: 'test', version: null },
    { id: 'b', kind: 'live', version: null },
  ]);
  expect(loaded).toEqual(['b']);
  const device = {
    ...{ id: 'd', environment_id: 'a', external_user_id: 'ada', kind: 'fcm' as const },
    ...{ identity: Buffer.alloc(0), service: 'fcm', address: '' },
  };
  const send = (environment: string) =>
    senders.get(environment)?.send(device, { type: 'withdraw', ids: ['n'] }, 'n', AbortSignal.timeout(1_000));
  expect(await send('a')).toMatchObject({ kind: 'accepted', code: 'sandbox' });
  expect(stored).toHaveLength(1);
  expect(senders.get('a')?.canWithdraw).toBe(false);
  // An environment of Live never falls back to the sandbox.
  expect(await send('b')).toMatchObject({ kind: 'broken', code: 'settings' });
  expect(stored).toHaveLength(1);
});
