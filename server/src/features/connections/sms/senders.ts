import type { Carrier, ProviderCarrier } from '../../../channels/contract.ts';
import type { ProviderContext } from '../../../channels/registry.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../channels/sandbox/index.ts';
import type { SmsCarrier, SmsConnections, SmsSender } from '../../../channels/sms/plan.ts';
import type { Deps } from '../../../deps.ts';
import { isLoopHeld, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { createSenderCache } from '../sender-cache.ts';
import type { SmsCallbackUrl } from './callback.ts';
import { openProvider } from './provider.ts';
import { listVersionedSmsSettings, type SmsSettings, type StoredSmsProvider } from './store.ts';

type SmsDeps = Pick<Deps, 'pool' | 'keyring' | 'config' | 'clock' | 'log' | 'outbound' | 'tasks'> & {
  sandboxStore: SandboxStore;
  smsCallbackUrl: SmsCallbackUrl;
};

/** The sender that the sandbox shows while none is set. */
const testNumber = '+15005550000';

export function createSmsConnections(deps: SmsDeps): SmsConnections {
  const { pool, config, clock, log, sandboxStore } = deps;
  const sandbox = createSandboxCarrier('sandbox', sandboxStore, clock);
  const context: ProviderContext = {
    policy: config.CARILLON_ALLOW_PRIVATE_NETWORK,
    clock,
    sandbox: sandboxStore,
    outbound: deps.outbound,
    tasks: deps.tasks.unlimited,
    smtpName: null,
  };

  function testSender(enabled: StoredSmsProvider[]): SmsSender {
    const fromSenderId = enabled[0]?.from_sender_id ?? null;
    const fromNumber = enabled[0]?.from_number ?? (fromSenderId ? null : testNumber);
    return { chain: [{ carrier: sandbox, fromNumber, fromSenderId }], problem: null };
  }

  /** Returns the reason instead when the provider cannot be used. */
  async function carrierOf(environmentId: string, stored: StoredSmsProvider): Promise<SmsCarrier | string> {
    const reportsTo = await deps.smsCallbackUrl(environmentId, stored);
    while (isLoopHeld()) await yieldToEventLoop(); // headers may be templates, which are rendered once
    try {
      const provider = openProvider(deps, environmentId, stored, reportsTo);
      if (!provider) return 'The operator of this service has configured no SMS provider.';
      const { fromNumber, fromSenderId } = provider;
      const carrier = provider.kind.create(stored.name, provider.config, context);
      return { carrier: withIdentity(carrier, stored), fromNumber, fromSenderId };
    } catch (error) {
      log.error({ err: error, environmentId, providerId: stored.id }, 'cannot use an SMS provider');
      return 'The stored credentials cannot be decrypted; enter them again.';
    }
  }

  async function liveSender(environmentId: string, enabled: StoredSmsProvider[]): Promise<SmsSender> {
    const made = await Promise.all(enabled.map((stored) => carrierOf(environmentId, stored)));
    const chain = made.filter((each) => typeof each !== 'string');
    if (chain.length > 0) return { chain, problem: null };
    const problem = made.find((each) => typeof each === 'string');
    return {
      chain,
      problem: problem ?? 'The environment has no SMS provider; add one in its SMS settings.',
    };
  }

  return {
    sendersFor: createSenderCache<SmsSettings, SmsSender>({
      read: (environmentIds) => listVersionedSmsSettings(pool, environmentIds),
      make({ id, kind }, settings) {
        const enabled = settings?.providers.filter(({ enabled }) => enabled) ?? [];
        return kind === 'test' ? testSender(enabled) : liveSender(id, enabled);
      },
      clock,
    }),
  };
}

/** The limits of the operator's account apply to all environments together. */
function withIdentity(carrier: ProviderCarrier, { kind, id: providerId }: StoredSmsProvider): Carrier {
  return kind === 'managed'
    ? { ...carrier, providerId, rateLimitKey: kind, isShared: true }
    : { ...carrier, providerId };
}
