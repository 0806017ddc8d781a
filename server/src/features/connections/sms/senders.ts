import type { Carrier } from '../../../channels/contract.ts';
import type { ProviderContext } from '../../../channels/registry.ts';
import { createSandboxCarrier, createSandboxStore } from '../../../channels/sandbox/index.ts';
import type { Deps } from '../../../deps.ts';
import { createMemory } from '../../../kernel/memory.ts';
import type { Environment } from '../senders.ts';
import { createSmsCallbackUrl } from './callback.ts';
import { openProvider } from './provider.ts';
import { listSmsSettings, type SmsSettings } from './store.ts';

/** How an environment sends text messages. */
export interface SmsSender {
  /** Null: it cannot, and `problem` says why. */
  carrier: Carrier | null;
  fromNumber: string | null;
  fromSenderId: string | null;
  problem: string | null;
}

/** Who carries the text messages of environments, ready to use. Settings take effect within a second. */
export interface SmsConnections {
  sendersFor(environments: readonly Environment[]): Promise<Map<string, SmsSender>>;
}

export type SmsDeps = Pick<Deps, 'pool' | 'keyring' | 'config' | 'clock' | 'log' | 'outbound' | 'publicUrl'>;

const freshMs = 1_000;
/** What the sandbox shows as the sender while none is set. */
const testNumber = '+15005550000';
const nobody = { carrier: null, fromNumber: null, fromSenderId: null };

export function createSmsConnections(deps: SmsDeps): SmsConnections {
  const { pool, keyring, config, clock, log } = deps;
  const senders = createMemory<{ sender: SmsSender; readAt: number }>(10_000);
  const callbackUrl = createSmsCallbackUrl(deps);
  const sandboxStore = createSandboxStore(pool);
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
      return { ...nobody, problem: 'The environment has no SMS provider; add one in its SMS settings.' };
    const reportsTo = await callbackUrl(settings);
    try {
      const provider = openProvider(keyring, config, settings, reportsTo);
      if (!provider)
        return { ...nobody, problem: 'The operator of this service has set up no SMS provider.' };
      const { fromNumber, fromSenderId } = provider;
      const carrier = provider.kind.create(settings.kind, provider.config, context);
      return { carrier: { ...carrier, ...paceOf(settings) }, fromNumber, fromSenderId, problem: null };
    } catch (error) {
      log.error({ err: error, environmentId: settings.environment_id }, 'an SMS provider cannot be used');
      return { ...nobody, problem: 'The stored credentials cannot be opened; give them anew.' };
    }
  }

  return {
    async sendersFor(environments) {
      const now = clock();
      const stale = environments.filter(({ id }) => now - (senders.get(id)?.readAt ?? 0) >= freshMs);
      if (stale.length > 0) {
        const settings = await listSmsSettings(
          pool,
          stale.map(({ id }) => id),
        );
        for (const { id, kind } of stale) {
          const sender = kind === 'test' ? testSender(settings.get(id)) : await liveSender(settings.get(id));
          senders.set(id, { sender, readAt: now });
        }
      }
      return new Map(
        environments.flatMap(({ id }) => {
          const known = senders.get(id);
          return known ? [[id, known.sender]] : [];
        }),
      );
    },
  };
}

/** An environment has one account at a time; what its provider asked for does not bind the next one. */
function paceOf({ kind, id }: SmsSettings): Pick<Carrier, 'pace' | 'isShared'> {
  return kind === 'managed' ? { pace: kind, isShared: true } : { pace: `${kind}:${id}` };
}
