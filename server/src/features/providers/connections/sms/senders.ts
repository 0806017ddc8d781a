import type { Carrier, ProviderCarrier } from '../../../../channels/contract.ts';
import type { ProviderContext } from '../../../../channels/registry.ts';
import type { SandboxStore } from '../../../../channels/sandbox/index.ts';
import type { SmsCarrier, SmsConnections, SmsSender } from '../../../../channels/sms/plan.ts';
import type { Config } from '../../../../config.ts';
import type { Deps } from '../../../../deps.ts';
import { shouldYield, yieldToEventLoop } from '../../../../kernel/event-loop.ts';
import { createSenderCache } from '../sender-cache.ts';
import { managedProvider, openProvider, type SmsCallbackUrl } from './provider.ts';
import { listVersionedSmsSettings, type SmsSettings, type StoredSmsProvider } from './store.ts';

type SmsDeps = Pick<Deps, 'pool' | 'keyring' | 'config' | 'clock' | 'log' | 'outbound' | 'tasks'> & {
  sandboxStore: SandboxStore;
  smsCallbackUrl: SmsCallbackUrl;
};

/** The SMS senders of Live environments. */
export function createSmsConnections(deps: SmsDeps): SmsConnections {
  const { pool, config, clock, log, sandboxStore } = deps;
  const context: ProviderContext = {
    policy: config.CARILLON_ALLOW_PRIVATE_NETWORK,
    clock,
    sandbox: sandboxStore,
    outbound: deps.outbound,
    tasks: deps.tasks.unlimited,
    smtpName: null,
  };

  /** Returns the reason instead when the provider cannot be used. */
  async function carrierOf(environmentId: string, stored: StoredSmsProvider): Promise<SmsCarrier | string> {
    const reportsTo = await deps.smsCallbackUrl(environmentId, stored);
    while (shouldYield()) await yieldToEventLoop(); // headers may be templates, which are rendered once
    try {
      const provider = openProvider(deps, environmentId, stored, reportsTo);
      if (!provider) return `${noManaged}.`;
      const { fromNumber, fromSenderId } = provider;
      const carrier = provider.kind.create(stored.name, provider.config, context);
      return { carrier: withIdentity(carrier, stored), fromNumber, fromSenderId };
    } catch (error) {
      log.error({ err: error, environmentId, providerId: stored.id }, 'cannot use an SMS provider');
      return 'The stored credentials cannot be decrypted; enter them again.';
    }
  }

  async function senderOf(environmentId: string, enabled: StoredSmsProvider[]): Promise<SmsSender> {
    const made = await Promise.all(enabled.map((stored) => carrierOf(environmentId, stored)));
    const chain = made.filter((each) => typeof each !== 'string');
    if (chain.length > 0) return { chain, problem: null };
    const problem = made.find((each) => typeof each === 'string');
    return { chain, problem: smsProblem(config, environmentId, enabled) ?? problem ?? null };
  }

  return {
    sendersFor: createSenderCache<SmsSettings, SmsSender>({
      read: (environmentIds) => listVersionedSmsSettings(pool, environmentIds),
      make: (environmentId, settings) =>
        senderOf(environmentId, settings?.providers.filter(({ enabled }) => enabled) ?? []),
      clock,
    }),
  };
}

const noManaged = 'The operator of this service has configured no SMS provider';

/** What the settings of a Live environment lack to send text messages; null when they are complete. */
export function smsProblem(
  config: Config,
  environmentId: string,
  providers: readonly StoredSmsProvider[],
): string | null {
  const enabled = providers.filter((provider) => provider.enabled);
  if (enabled.some(({ kind }) => kind !== 'managed' || managedProvider(config, null) !== null)) return null;
  const reason = enabled.length > 0 ? noManaged : 'The environment has no enabled SMS provider';
  return `${reason}: add one with PUT /v1/environments/${environmentId}/sms-settings, or in the dashboard under Connections, SMS.`;
}

/** The limits of the operator's account apply to all environments together. */
function withIdentity(carrier: ProviderCarrier, { kind, id: providerId }: StoredSmsProvider): Carrier {
  return kind === 'managed'
    ? { ...carrier, providerId, rateLimitKey: kind, isShared: true }
    : { ...carrier, providerId };
}
