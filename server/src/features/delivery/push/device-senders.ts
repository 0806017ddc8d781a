import type { PushMessage, PushOutcome } from '../../../channels/in-app/push/contract.ts';
import { payloadOf } from '../../../channels/in-app/push/payload.ts';
import { endsInSandbox, type SandboxStore } from '../../../channels/sandbox/index.ts';
import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { newId } from '../../../kernel/ids.ts';
import { storable } from '../../../kernel/json.ts';
import type { PushConnection, PushConnections } from '../../providers/connections/index.ts';
import type { PushEnvironment, RungDevice } from './ring-store.ts';
import { openAddress } from './service.ts';

/** Hands the pushes of an environment to devices. */
export interface DeviceSender {
  /** False where nothing that was sent is taken back. */
  canWithdraw: boolean;
  send(
    device: RungDevice,
    message: PushMessage,
    notificationId: string,
    signal: AbortSignal,
  ): Promise<PushOutcome>;
}

export interface DeviceSenderDeps extends Pick<Deps, 'keyring' | 'clock'> {
  pushConnections: PushConnections;
  sandboxStore: SandboxStore;
}

/**
 * The sender of each environment: the push services of its settings in Live, the sandbox in Test. The services of a Test environment
 * are not even loaded.
 */
export function createDeviceSenders(
  deps: DeviceSenderDeps,
): (environments: readonly PushEnvironment[]) => Promise<Map<string, DeviceSender>> {
  const sandbox = createSandboxSender(deps);
  return async (environments) => {
    const live = environments.filter(({ kind }) => !endsInSandbox(kind));
    const connections = await deps.pushConnections.connectionsFor(
      live.map(({ id, version }) => ({ id, settingsVersion: version })),
    );
    return new Map(
      environments.map(({ id, kind }) => [
        id,
        endsInSandbox(kind)
          ? sandbox
          : createServiceSender(deps.keyring, connections.get(id) ?? { senders: {}, problem: null }),
      ]),
    );
  };
}

/** Calls the push service of a device. */
function createServiceSender(keyring: Deps['keyring'], { senders, problem }: PushConnection): DeviceSender {
  return {
    canWithdraw: true,
    async send(device, message, _notificationId, signal) {
      const sender = senders[device.kind];
      if (!sender)
        return {
          kind: 'broken',
          detail: problem ?? `The push settings have no ${device.kind}.`,
          code: 'settings',
        };
      const address = openAddress(keyring, device);
      if (!address)
        return { kind: 'broken', detail: 'The stored address cannot be decrypted.', code: 'encryption_key' };
      // What a service answers is stored: an outcome that cannot be would ring again without end.
      return storable(await sender.send(address, message, signal));
    },
  };
}

/** Stores pushes instead of sending them. */
function createSandboxSender({
  sandboxStore,
  clock,
}: Pick<DeviceSenderDeps, 'sandboxStore' | 'clock'>): DeviceSender {
  return {
    canWithdraw: false, // the sandbox shows what was sent
    async send({ id, environment_id, external_user_id, kind, service }, message, notificationId) {
      const row = {
        id: newId(clock()),
        environment_id,
        notification_id: notificationId,
        channel: 'in_app',
        provider: `${kind} ${id}`, // one message for each device
        recipient: external_user_id,
        payload: { device_id: id, kind, service, push: payloadOf(message) },
      };
      await untilDatabaseAnswers(() => sandboxStore.add(JSON.stringify(row)));
      return { kind: 'accepted', detail: 'In Test, pushes end in the sandbox.', code: 'sandbox' };
    },
  };
}
