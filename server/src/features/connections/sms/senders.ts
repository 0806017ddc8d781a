import type { Carrier } from '../../../channels/contract.ts';
import type { ProviderContext } from '../../../channels/registry.ts';
import { createSandboxCarrier, type SandboxStore } from '../../../channels/sandbox/index.ts';
import type { SmsConnections, SmsSender } from '../../../channels/sms/plan.ts';
import type { Deps } from '../../../deps.ts';
import { createSenderCache } from '../sender-cache.ts';
import type { SmsCallbackUrl } from './callback.ts';
import { openProvider } from './provider.ts';
import { listVersionedSmsSettings, type SmsSettings } from './store.ts';

type SmsDeps = Pick<Deps, 'pool' | 'keyring' | 'config' | 'clock' | 'log' | 'outbound'> & {
  sandboxStore: SandboxStore;
  smsCallbackUrl: SmsCallbackUrl;
};

/** The sender that the sandbox shows while none is set. */
const testNumber = '+15005550000';
const noSender = { carrier: null, fromNumber: null, fromSenderId: null };

export function createSmsConnections(deps: SmsDeps): SmsConnections {
  const { pool, keyring, config, clock, log, sandboxStore } = deps;
  const sandbox = createSandboxCarrier('sandbox', sandboxStore, clock);
  const context: ProviderContext = {
    policy: config.CARILLON_ALLOW_PRIVATE_NETWORK,
    clock,
    sandbox: sandboxStore,
    outbound: deps.outbound,
    smtpName: null,
  };

  function testSender(settings: SmsSettings | undefined): SmsSender {
    const fromSenderId = settings?.from_sender_id ?? null;
    const fromNumber = settings?.from_number ?? (fromSenderId ? null : testNumber);
    return { carrier: sandbox, fromNumber, fromSenderId, problem: null };
  }

  async function liveSender(settings: SmsSettings | undefined): Promise<SmsSender> {
    if (!settings)
      return { ...noSender, problem: 'The environment has no SMS provider; add one in its SMS settings.' };
    const reportsTo = await deps.smsCallbackUrl(settings);
    try {
      const provider = openProvider(keyring, config, settings, reportsTo);
      if (!provider)
        return { ...noSender, problem: 'The operator of this service has configured no SMS provider.' };
      const { fromNumber, fromSenderId } = provider;
      const carrier = provider.kind.create(settings.kind, provider.config, context);
      return { carrier: { ...carrier, ...rateLimitOf(settings) }, fromNumber, fromSenderId, problem: null };
    } catch (error) {
      log.error({ err: error, environmentId: settings.environment_id }, 'cannot use an SMS provider');
      return { ...noSender, problem: 'The stored credentials cannot be decrypted; enter them again.' };
    }
  }

  return {
    sendersFor: createSenderCache<SmsSettings, SmsSender>({
      read: (environmentIds) => listVersionedSmsSettings(pool, environmentIds),
      make: ({ kind }, settings) => (kind === 'test' ? testSender(settings) : liveSender(settings)),
      clock,
    }),
  };
}

/** An environment has one account at a time; a throttle of one provider does not apply to its successor. */
function rateLimitOf({ kind, id }: SmsSettings): Pick<Carrier, 'rateLimitKey' | 'isShared'> {
  return kind === 'managed' ? { rateLimitKey: kind, isShared: true } : { rateLimitKey: `${kind}:${id}` };
}
