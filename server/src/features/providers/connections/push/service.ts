import { type DeviceKind, deviceKinds } from '../../../../channels/in-app/push/contract.ts';
import { alwaysRing, ringSettingOf } from '../../../../channels/in-app/push/ring-setting.ts';
import { newVapidKeys } from '../../../../channels/in-app/push/vapid.ts';
import { transaction } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import type { Caller, Principal } from '../../../../http/principal.ts';
import { notFound } from '../../../../kernel/errors.ts';
import { storable } from '../../../../kernel/json.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import { type PushInput, readPushInput } from './input.ts';
import type { PushSettingsBody, PushSettingsView } from './schema.ts';
import { createPushSenders } from './senders.ts';
import {
  deletePushSettings,
  findPushSettings,
  lockPushSettings,
  openPushKeys,
  type PushSettings,
  sealPushKeys,
  updatePushChecks,
  updatePushSettings,
} from './store.ts';

export interface PushSettingsService {
  read(principal: Principal): Promise<PushSettingsView>;
  replace(caller: Caller, body: PushSettingsBody): Promise<PushSettingsView>;
  remove(caller: Caller): Promise<void>;
  /** Asks each service whether it accepts the settings, and keeps the answers. */
  check(principal: Principal): Promise<{ kind: DeviceKind; ok: boolean; detail: string }[]>;
}

type PushSettingsDeps = Pick<Deps, 'pool' | 'keyring' | 'config' | 'clock' | 'outbound' | 'http2'>;

export function createPushSettingsService(deps: PushSettingsDeps): PushSettingsService {
  const { pool, keyring, clock, config } = deps;

  /** Returns null when the key that sealed them is no longer configured: they must be entered again. */
  function opened<Stored extends PushSettings>(stored: Stored | null): Stored | null {
    try {
      return stored && { ...stored, ...openPushKeys(keyring, stored.environment_id, stored) };
    } catch {
      return null;
    }
  }

  async function checkAll(settings: PushSettings): Promise<PushSettings['checks']> {
    const senders = createPushSenders(deps, settings);
    const checked = deviceKinds.map(async (kind) => {
      const verdict = storable(await senders[kind]?.verify());
      return verdict ? [[kind, { ...verdict, at: new Date(clock()).toISOString() }]] : [];
    });
    return Object.fromEntries((await Promise.all(checked)).flat());
  }

  /** The checks ask the services, so they run before the transaction: nothing is locked while a service answers. */
  async function checkedSettings(
    environmentId: string,
    body: PushSettingsBody,
    input: PushInput,
    stored: PushSettings | null,
  ): Promise<PushSettings> {
    const settings: PushSettings = {
      environment_id: environmentId,
      ring: body.ring ? ringSettingOf(body.ring) : alwaysRing,
      vapid: stored?.vapid ?? (input.web_push ? newStoredVapid() : null),
      ...input,
      checks: {},
    };
    return { ...settings, checks: await checkAll(settings) };
  }

  return {
    async read({ environmentId }) {
      const settings = await findPushSettings(pool, environmentId);
      if (!settings) throw notFound('push settings');
      return viewOf(settings);
    },

    async replace(caller, body) {
      const { environmentId } = caller.principal;
      const stored = opened(await findPushSettings(pool, environmentId));
      const input = readPushInput(body, stored, config.CARILLON_ALLOW_PRIVATE_NETWORK);
      const settings = await checkedSettings(environmentId, body, input, stored);
      const saved = await transaction(pool, async (tx) => {
        const before = await lockPushSettings(tx, environmentId);
        // Someone else may have switched web push on meanwhile: browsers already subscribe with that key.
        const vapid = opened(before)?.vapid ?? settings.vapid;
        const sealed = sealPushKeys(keyring, environmentId, { ...settings, vapid });
        const after = { ...settings, ...sealed };
        await updatePushSettings(tx, after);
        await recordAudit(tx, caller, {
          action: 'push_settings.updated',
          target: `environment:${environmentId}`,
          before: before && viewOf(before),
          after: viewOf(after),
        });
        return after;
      });
      return viewOf(saved);
    },

    async remove(caller) {
      const { environmentId } = caller.principal;
      await transaction(pool, async (tx) => {
        const before = await lockPushSettings(tx, environmentId);
        if (!before) throw notFound('push settings');
        await deletePushSettings(tx, environmentId);
        await recordAudit(tx, caller, {
          action: 'push_settings.deleted',
          target: `environment:${environmentId}`,
          before: viewOf(before),
        });
      });
    },

    async check({ environmentId }) {
      const settings = opened(await findPushSettings(pool, environmentId));
      if (!settings) throw notFound('push settings');
      const checks = await checkAll(settings);
      await updatePushChecks(pool, settings, checks);
      return deviceKinds.flatMap((kind) => {
        const verdict = checks[kind];
        return verdict ? [{ kind, ok: verdict.ok, detail: verdict.detail }] : [];
      });
    },
  };
}

function newStoredVapid(): NonNullable<PushSettings['vapid']> {
  const { publicKey, privateKey } = newVapidKeys();
  return { public_key: publicKey, private_key: privateKey };
}

function viewOf({ ring, vapid, web_push: webPush, apns, fcm, checks }: PushSettings): PushSettingsView {
  return {
    ring,
    web_push: webPush && {
      contact: webPush.contact,
      public_key: vapid?.public_key ?? '',
      check: checks.web_push ?? null,
    },
    apns: apns && {
      team_id: apns.team_id,
      key_id: apns.key_id,
      bundle_id: apns.bundle_id,
      environment: apns.environment,
      check: checks.apns ?? null,
    },
    fcm: fcm && { project_id: fcm.project_id, client_email: fcm.client_email, check: checks.fcm ?? null },
  };
}
