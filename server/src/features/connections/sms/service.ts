import type { ProviderConfig, VerificationResult } from '../../../channels/contract.ts';
import { type ProviderContext, smsProviders } from '../../../channels/registry.ts';
import type { SandboxStore } from '../../../channels/sandbox/index.ts';
import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../audit/index.ts';
import { openConfig, sealConfig } from '../provider-config.ts';
import { wakeWaiting } from '../waiting.ts';
import type { SmsCallbackUrl } from './callback.ts';
import { readInput, readKind, refuseSender, type SmsInput } from './input.ts';
import { managedProvider, withUrls } from './provider.ts';
import { type SmsSettingsBody, type SmsSettingsView, shownKinds } from './schema.ts';
import {
  deleteSmsSettings,
  findSmsSettings,
  lockSmsSettings,
  type SmsSettings,
  updateSmsSettings,
} from './store.ts';

type SmsSettingsDeps = Pick<Deps, 'pool' | 'queue' | 'keyring' | 'config' | 'clock' | 'outbound'> & {
  sandboxStore: SandboxStore;
  smsCallbackUrl: SmsCallbackUrl;
};

export interface SmsSettingsService {
  read(principal: Principal): Promise<SmsSettingsView>;
  replace(principal: Principal, body: SmsSettingsBody, requestId: string): Promise<SmsSettingsView>;
  remove(principal: Principal, requestId: string): Promise<void>;
}

export function createSmsSettingsService(deps: SmsSettingsDeps): SmsSettingsService {
  const { pool, keyring, config, clock } = deps;

  const isFixed = (kind: SmsInput['kind']): boolean =>
    kind === 'managed' && managedProvider(config, null) !== null;

  const auditOf = (settings: SmsSettings): Omit<SmsSettingsView, 'callback_url'> => ({
    id: settings.id,
    kind: shownKinds[settings.kind],
    from_number: isFixed(settings.kind) ? null : settings.from_number,
    from_sender_id: isFixed(settings.kind) ? null : settings.from_sender_id,
    credentials_validated: settings.credentials_validated_at !== null,
    credentials_validated_at: settings.credentials_validated_at?.toISOString() ?? null,
    credentials_detail: settings.credentials_detail,
  });

  /** The callback URL is a credential for reporting receipts: it is shown to readers of the settings, and never logged. */
  const viewOf = async (settings: SmsSettings): Promise<SmsSettingsView> => ({
    ...auditOf(settings),
    callback_url: await deps.smsCallbackUrl(settings),
  });

  /**
   * Returns null when there are none for this kind, or the key that sealed them is no longer configured: they must be entered
   * again.
   */
  function storedCredentials(stored: SmsSettings | null, kind: SmsInput['kind']): ProviderConfig | null {
    if (!stored || stored.kind === 'managed' || stored.kind !== kind) return null;
    try {
      return openConfig(keyring, stored.environment_id, smsProviders[stored.kind], stored);
    } catch {
      return null;
    }
  }

  async function verify(
    input: SmsInput,
    environmentKind: Principal['environmentKind'],
  ): Promise<VerificationResult> {
    const provider =
      input.kind === 'managed'
        ? managedProvider(config, null)
        : {
            kind: smsProviders[input.kind],
            config: withUrls(input.kind, input.config, config, null),
          };
    if (!provider)
      return environmentKind === 'test'
        ? { ok: true, detail: 'In Test, messages end in the sandbox.' }
        : { ok: false, detail: 'The operator of this service has configured no SMS provider.' };
    const context: ProviderContext = {
      policy: config.CARILLON_ALLOW_PRIVATE_NETWORK,
      clock,
      sandbox: deps.sandboxStore,
      outbound: deps.outbound,
      smtpName: null,
    };
    return provider.kind.create(input.kind, provider.config, context).verify();
  }

  function settingsOf(
    environmentId: string,
    id: string,
    input: SmsInput,
    verdict: VerificationResult,
  ): SmsSettings {
    return {
      environment_id: environmentId,
      id,
      kind: input.kind,
      from_number: input.fromNumber,
      from_sender_id: input.fromSenderId,
      config:
        input.kind === 'managed'
          ? {}
          : sealConfig(keyring, environmentId, smsProviders[input.kind], { id, config: input.config }),
      credentials_validated_at: verdict.ok ? new Date(clock()) : null,
      credentials_detail: verdict.detail,
    };
  }

  return {
    async read({ environmentId }) {
      const settings = await findSmsSettings(pool, environmentId);
      if (!settings) throw notFound('SMS settings');
      return viewOf(settings);
    },

    async replace(principal, body, requestId) {
      const { environmentId } = principal;
      const kind = readKind(body.kind);
      const stored = await findSmsSettings(pool, environmentId);
      const input = readInput(kind, body, storedCredentials(stored, kind));
      if (isFixed(kind)) refuseSender(input);
      // The check runs before the transaction: nothing is locked while the provider answers.
      const verdict = await verify(input, principal.environmentKind);
      const saved = await transaction(pool, async (tx) => {
        const before = await lockSmsSettings(tx, environmentId);
        const after = settingsOf(environmentId, before?.id ?? newId(), input, verdict);
        await updateSmsSettings(tx, after);
        await recordAudit(tx, {
          principal,
          requestId,
          action: 'sms_settings.updated',
          target: `environment:${environmentId}`,
          before: before && auditOf(before),
          after: auditOf(after),
        });
        await wakeWaiting(tx, deps.queue, environmentId, 'sms');
        return after;
      });
      deps.queue.ring('wake');
      return viewOf(saved);
    },

    async remove(principal, requestId) {
      const { environmentId } = principal;
      await transaction(pool, async (tx) => {
        const before = await lockSmsSettings(tx, environmentId);
        if (!before) throw notFound('SMS settings');
        await deleteSmsSettings(tx, environmentId);
        await recordAudit(tx, {
          principal,
          requestId,
          action: 'sms_settings.deleted',
          target: `environment:${environmentId}`,
          before: auditOf(before),
          after: null,
        });
      });
    },
  };
}
