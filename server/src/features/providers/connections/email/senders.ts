import type { Carrier, ProviderCarrier } from '../../../../channels/contract.ts';
import type { SendersFor } from '../../../../channels/delivery-plan.ts';
import { domainOf } from '../../../../channels/email/address.ts';
import type { EmailSender } from '../../../../channels/email/plan.ts';
import { createSmtpCarrier, smtpConfigOfUrl } from '../../../../channels/email/providers/smtp/index.ts';
import { emailProviders, type ProviderContext } from '../../../../channels/registry.ts';
import type { SandboxStore } from '../../../../channels/sandbox/index.ts';
import type { Config, ManagedSender } from '../../../../config.ts';
import type { Deps } from '../../../../deps.ts';
import { shouldYield, yieldToEventLoop } from '../../../../kernel/event-loop.ts';
import { openConfig, type StoredProvider } from '../provider-config.ts';
import { createSenderCache } from '../sender-cache.ts';
import { type EmailSettings, listVersionedSettings, noSettings } from './store.ts';

/** The email senders of Live environments, ready to use. */
export interface EmailConnections {
  sendersFor: SendersFor<EmailSender>;
  stop(): Promise<void>;
}

const idleMs = 5 * 60_000;
const sweepMs = 60_000;

interface OpenCarrier {
  carrier: ProviderCarrier;
  usedAt: number;
}

export function createEmailConnections(
  deps: Pick<Deps, 'pool' | 'keyring' | 'config' | 'clock' | 'log' | 'outbound' | 'tasks'> & {
    sandboxStore: SandboxStore;
  },
): EmailConnections {
  const { pool, keyring, config, clock, log, sandboxStore } = deps;
  // Carriers are keyed by all of their settings. A carrier whose settings changed is not asked for again, finishes its calls,
  // and is closed when it has been idle.
  const carriers = new Map<string, OpenCarrier>();
  const contextOf = (address: string | null): ProviderContext => ({
    policy: config.CARILLON_ALLOW_PRIVATE_NETWORK,
    clock,
    sandbox: sandboxStore,
    outbound: deps.outbound,
    tasks: deps.tasks.unlimited,
    smtpName: smtpNameFor(config, address),
  });

  const sweep = setInterval(() => {
    for (const [key, open] of carriers) {
      if (clock() - open.usedAt <= idleMs) continue;
      carriers.delete(key);
      void open.carrier.close();
    }
  }, sweepMs).unref();

  function keepOpen(key: string, create: () => ProviderCarrier): Carrier {
    const open = carriers.get(key) ?? { carrier: create(), usedAt: 0 };
    open.usedAt = clock();
    carriers.set(key, open);
    return open.carrier;
  }

  function carrierOf(
    environmentId: string,
    provider: StoredProvider,
    context: ProviderContext,
  ): Carrier | null {
    const kind = emailProviders[provider.kind];
    if (!kind) return null;
    try {
      return keepOpen(`${environmentId} ${context.smtpName} ${JSON.stringify(provider)}`, () => ({
        ...kind.create(provider.name, openConfig(keyring, environmentId, kind, provider), context),
        providerId: provider.id,
      }));
    } catch (error) {
      log.error({ err: error, environmentId, providerId: provider.id }, 'cannot use an email provider');
      return null;
    }
  }

  function managedCarrier({ url, from }: ManagedRelay): Carrier {
    const clientName = smtpNameFor(config, from.address);
    return keepOpen('managed', () => ({
      // The operator chose this server, so it may be in the private network.
      ...createSmtpCarrier('managed', smtpConfigOfUrl(url), {
        policy: 'all',
        tasks: deps.tasks.unlimited,
        clientName,
      }),
      providerId: 'managed',
      isShared: true,
    }));
  }

  async function carriersOf(
    environmentId: string,
    { providers, from_address }: EmailSettings,
  ): Promise<Carrier[]> {
    const context = contextOf(from_address);
    const made: Carrier[] = [];
    for (const provider of providers) {
      if (!provider.enabled) continue;
      while (shouldYield()) await yieldToEventLoop(); // headers may be templates, which are rendered once
      const carrier = carrierOf(environmentId, provider, context);
      if (carrier) made.push(carrier);
    }
    return made;
  }

  async function senderOf(environmentId: string, settings: EmailSettings): Promise<EmailSender> {
    const stored = storedSender(settings);
    const relay = managedRelay(config, 'live', settings);
    if (relay)
      return {
        ...stored,
        from: relay.from,
        senderLocked: true,
        carriers: [managedCarrier(relay)],
        problem: null,
      };
    const carriers = await carriersOf(environmentId, settings);
    const problem = emailProblem(config, environmentId, settings);
    return { ...stored, carriers, problem: problem ?? (carriers.length === 0 ? undecipherable : null) };
  }

  const sendersFor = createSenderCache<EmailSettings, EmailSender>({
    read: (environmentIds) => listVersionedSettings(pool, environmentIds),
    make: (environmentId, settings) => senderOf(environmentId, settings ?? noSettings),
    clock,
  });

  return {
    sendersFor,
    async stop() {
      clearInterval(sweep);
      // Calls in progress have had their time: the queue has stopped.
      await Promise.all([...carriers.values()].map(({ carrier }) => carrier.close(0)));
    },
  };
}

/** The stored part of a sender. */
export function storedSender(settings: EmailSettings): Omit<EmailSender, 'carriers' | 'problem'> {
  const { from_address: address, from_name: name } = settings;
  return {
    from: address === null ? null : { address, name },
    replyTo: settings.reply_to,
    senderLocked: settings.sender_locked,
    track: { opens: settings.track_opens, clicks: settings.track_clicks },
  };
}

/** The name that an environment with this From address gives to mail servers. */
export function smtpNameFor({ CARILLON_SMTP_NAME: name }: Config, address: string | null): string | null {
  return name ?? (address === null ? null : domainOf(address));
}

const undecipherable = 'The stored secrets of the email providers cannot be decrypted; enter them again.';

/** What the settings of a Live environment lack to send email; null when they are complete. */
export function emailProblem(config: Config, environmentId: string, settings: EmailSettings): string | null {
  if (managedRelay(config, 'live', settings)) return null;
  const where = `PATCH /v1/environments/${environmentId}/email-settings, or in the dashboard under Connections, Email`;
  if (!settings.providers.some(({ enabled }) => enabled))
    return `The environment has no enabled email provider: set providers with ${where}.`;
  return settings.from_address === null
    ? `The environment has no sender address for email: set from_address with ${where}.`
    : null;
}

/** The operator's email server with its sender: environments cannot choose the From address of its email. */
interface ManagedRelay {
  url: string;
  from: ManagedSender;
}

/** The relay of a Live environment without an enabled provider of its own; null when none applies. */
export function managedRelay(
  { CARILLON_SMTP_URL: url, CARILLON_MANAGED_FROM: from }: Config,
  environmentKind: 'test' | 'live',
  { providers }: Pick<EmailSettings, 'providers'>,
): ManagedRelay | null {
  if (environmentKind === 'test' || url === null || from === null) return null;
  return providers.some(({ enabled }) => enabled) ? null : { url, from };
}
