import type { DeviceAddress, DeviceKind, PushSender } from '../../../channels/in-app/push/contract.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import type { Keyring } from '../../../kernel/crypto.ts';
import { notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import {
  findPushSettings,
  type PushConnections,
  type PushSettingsService,
} from '../../providers/connections/index.ts';
import { addressContext, identityOf, readDevice } from './address.ts';
import type { Device, DeviceBody, PushTestResult } from './schema.ts';
import type { DeviceOwner, DeviceRow } from './store.ts';
import * as store from './store.ts';

export interface PushService {
  /** What the environment can ring. */
  offer(
    environmentId: string,
  ): Promise<{ web_push: { public_key: string } | null; apns: boolean; fcm: boolean }>;
  register(owner: DeviceOwner, body: DeviceBody): Promise<Device>;
  list(owner: DeviceOwner): Promise<Device[]>;
  /** Idempotent. */
  remove(owner: DeviceOwner, id: string): Promise<void>;
  registerFor(caller: Caller, externalUserId: string, body: DeviceBody): Promise<Device>;
  removeFor(caller: Caller, externalUserId: string, id: string): Promise<void>;
  setPresence(owner: DeviceOwner, page: string, visible: boolean): Promise<void>;
  /** Checks the settings and, with a user, rings the user's devices. */
  test(principal: Principal, externalUserId: string | null): Promise<PushTestResult>;
}

/** A page says every 30 seconds that it is still visible; one that died is forgotten after this time. */
const presenceSeconds = 60;
/** Pushes of a test that are sent at the same time. */
const testConcurrency = 10;

type PushDeps = Pick<Deps, 'pool' | 'keyring' | 'config'> & {
  pushConnections: PushConnections;
  pushSettings: PushSettingsService;
};

export function createPushService(deps: PushDeps): PushService {
  const { pool, keyring, config } = deps;
  const allowed = { policy: config.CARILLON_ALLOW_PRIVATE_NETWORK, hosts: config.CARILLON_WEB_PUSH_HOSTS };

  async function save(tx: Sql, owner: DeviceOwner, body: DeviceBody): Promise<Device> {
    const { address, service } = readDevice(body, allowed);
    const identity = identityOf(address);
    const row = await store.upsertDevice(tx, owner, {
      id: newId(),
      kind: address.kind,
      identity,
      service,
      address: sealAddress(keyring, owner.environmentId, identity, address),
      label: body.label || null,
    });
    await store.deleteDevicesBeyondLimit(tx, owner);
    return viewOf(row);
  }

  return {
    async offer(environmentId) {
      const settings = await findPushSettings(pool, environmentId);
      const publicKey = settings?.web_push ? settings.vapid?.public_key : undefined;
      return {
        web_push: publicKey === undefined ? null : { public_key: publicKey },
        apns: Boolean(settings?.apns),
        fcm: Boolean(settings?.fcm),
      };
    },

    register: (owner, body) => transaction(pool, (tx) => save(tx, owner, body)),

    list: async (owner) => (await store.listDevices(pool, owner)).map(viewOf),

    async remove(owner, id) {
      await store.deleteDevice(pool, owner, id);
    },

    async registerFor(caller, externalUserId, body) {
      const owner = { environmentId: caller.principal.environmentId, externalUserId };
      return transaction(pool, async (tx) => {
        const device = await save(tx, owner, body);
        await recordAudit(tx, caller, {
          action: 'device.registered',
          target: `device:${device.id}`,
          after: { kind: device.kind, service: device.service },
        });
        return device;
      });
    },

    async removeFor(caller, externalUserId, id) {
      await transaction(pool, async (tx) => {
        const removed = await store.deleteDevice(
          tx,
          { environmentId: caller.principal.environmentId, externalUserId },
          id,
        );
        if (!removed) throw notFound('device');
        await recordAudit(tx, caller, {
          action: 'device.deleted',
          target: `device:${id}`,
          before: { kind: removed.kind, service: removed.service },
        });
      });
    },

    async setPresence(owner, page, visible) {
      if (visible) await store.updatePresence(pool, owner, page, presenceSeconds);
      else await store.deletePagePresence(pool, owner, page);
    },

    async test(principal, externalUserId) {
      const { environmentId } = principal;
      const checks = await deps.pushSettings.check(principal);
      if (externalUserId === null) return { checks, devices: [] };
      const connections = await deps.pushConnections.connectionsFor([
        { id: environmentId, settingsVersion: null },
      ]);
      const senders = connections.get(environmentId)?.senders ?? {};
      const devices = await store.listDevices(pool, { environmentId, externalUserId });
      const results: PushTestResult['devices'] = [];
      for (let from = 0; from < devices.length; from += testConcurrency) {
        const slice = devices.slice(from, from + testConcurrency);
        results.push(...(await Promise.all(slice.map((device) => testDevice(keyring, device, senders)))));
      }
      return { checks, devices: results };
    },
  };
}

async function testDevice(
  keyring: Keyring,
  device: DeviceRow,
  senders: { [Kind in DeviceKind]?: PushSender },
): Promise<PushTestResult['devices'][number]> {
  const { id, kind, service } = device;
  const sender = senders[kind];
  if (!sender) return { id, kind, service, outcome: 'broken', detail: `The settings have no ${kind}.` };
  const address = openAddress(keyring, device);
  if (!address)
    return { id, kind, service, outcome: 'broken', detail: 'The stored address cannot be decrypted.' };
  const { kind: outcome, detail } = await sender.send(
    address,
    {
      type: 'ring',
      id: newId(),
      title: 'Carillon',
      body: 'This is a test: push works on this device.',
      url: null,
      urgency: 'high',
      ttlSeconds: 60,
    },
    new AbortController().signal,
  );
  return { id, kind, service, outcome, detail };
}

function sealAddress(
  keyring: Keyring,
  environmentId: string,
  identity: Buffer,
  address: DeviceAddress,
): string {
  return keyring.seal(JSON.stringify(address), addressContext(environmentId, identity.toString('hex')));
}

/** Returns null when the key that sealed the address is no longer configured. */
export function openAddress(
  keyring: Keyring,
  { environment_id, identity, address }: Pick<DeviceRow, 'environment_id' | 'identity' | 'address'>,
): DeviceAddress | null {
  try {
    return JSON.parse(keyring.open(address, addressContext(environment_id, identity.toString('hex'))));
  } catch {
    return null;
  }
}

function viewOf(row: DeviceRow): Device {
  const { id, kind, service, label, last_outcome, last_outcome_detail } = row;
  return {
    id,
    kind,
    service,
    label,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    last_outcome,
    last_outcome_detail,
    last_outcome_at: row.last_outcome_at?.toISOString() ?? null,
  };
}
