import type { VerificationResult } from '../../../../channels/contract.ts';
import { displayNameProblem, parseEmailAddress, parseReplyTo } from '../../../../channels/email/address.ts';
import { mailboxText } from '../../../../channels/email/api.ts';
import { emailProviders } from '../../../../channels/registry.ts';
import type { SandboxStore } from '../../../../channels/sandbox/index.ts';
import { type Sql, transaction } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import type { Caller, Principal } from '../../../../http/principal.ts';
import { invalidParameter, notFound, Problem } from '../../../../kernel/errors.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { LinkSecrets } from '../../../platform/links/index.ts';
import { forgetHealth } from '../../provider-health/index.ts';
import { createProviderChain } from '../chain/chain.ts';
import type { SenderDirectory } from '../sender-directory.ts';
import { wakeWaiting } from '../waiting.ts';
import type { EmailSettingsBody, EmailSettingsView } from './schema.ts';
import { managedRelay, smtpNameFor } from './senders.ts';
import { type EmailSettings, getSettings, lockSettings, updateSettings } from './store.ts';

type SettingsDeps = Pick<
  Deps,
  'pool' | 'queue' | 'keyring' | 'config' | 'clock' | 'outbound' | 'publicUrl'
> & { sandboxStore: SandboxStore; linkSecrets: LinkSecrets; senderDirectory: SenderDirectory };

export interface EmailSettingsService {
  read(principal: Principal): Promise<EmailSettingsView>;
  replace(caller: Caller, body: EmailSettingsBody): Promise<EmailSettingsView>;
  /** Changes the fields that the body gives, and leaves the rest unchanged. */
  update(caller: Caller, body: EmailSettingsBody): Promise<EmailSettingsView>;
  verify(principal: Principal, providerId: string): Promise<VerificationResult>;
}

export function createEmailSettingsService(deps: SettingsDeps): EmailSettingsService {
  const { pool, config, clock, outbound, linkSecrets } = deps;

  const chain = createProviderChain(deps, emailProviders);

  /** The settings without secrets and without volatile fields; the audit log keeps this form too. */
  const settingsOf = (environmentId: string, { providers, ...settings }: EmailSettings) => ({
    ...settings,
    providers: providers.map((provider) => chain.shown(environmentId, provider)),
  });

  async function viewOf(
    sql: Sql,
    { environmentId, environmentKind }: Principal,
    stored: EmailSettings,
  ): Promise<EmailSettingsView> {
    const relay = managedRelay(config, environmentKind, stored);
    const liveFields = await chain.liveFieldsOf(sql, environmentId);
    const { providers, ...settings } = settingsOf(environmentId, stored);
    return {
      ...settings,
      sender_locked: settings.sender_locked || relay !== null,
      managed_from: relay && mailboxText({ ...relay.from, name: relay.from.name ?? '' }),
      providers: providers.map((provider) => ({ ...provider, ...liveFields(provider) })),
    };
  }

  async function save(
    caller: Caller,
    body: EmailSettingsBody,
    next: (before: EmailSettings) => Promise<EmailSettings>,
  ): Promise<EmailSettingsView> {
    const { principal } = caller;
    const { environmentId } = principal;
    const isManaged = (settings: EmailSettings): boolean =>
      managedRelay(config, principal.environmentKind, settings) !== null;
    await linkSecrets.secretsFor([environmentId]); // cached from here on, so the transaction needs no second connection for it
    const view = await transaction(pool, async (tx) => {
      const before = await lockSettings(tx, environmentId);
      const after = await next(before);
      if (body.sender_locked === false && isManaged(before) && isManaged(after)) throw lockedByOperator();
      await updateSettings(tx, environmentId, after);
      // The health of replaced providers is reset; a change of the sender does not affect it.
      if (after.providers !== before.providers)
        await forgetHealth(tx, environmentId, idsOf(before), [...idsOf(after), 'managed']);
      await recordAudit(tx, caller, {
        action: 'email_settings.updated',
        target: `environment:${environmentId}`,
        before: settingsOf(environmentId, before),
        after: settingsOf(environmentId, after),
      });
      await wakeWaiting(tx, deps.queue, environmentId, 'email');
      return viewOf(tx, principal, after);
    });
    deps.senderDirectory.forgetSender(environmentId, 'email');
    deps.queue.ring('wake');
    return view;
  }

  return {
    async read(principal) {
      return viewOf(pool, principal, await getSettings(pool, principal.environmentId));
    },

    async replace(caller, body) {
      if (Object.keys(body).length === 0) throw nothingGiven();
      const identity = readIdentity(body);
      return save(caller, body, async (before) => ({
        ...identity,
        providers: await chain.next(caller.principal.environmentId, body.providers ?? [], before.providers),
      }));
    },

    update(caller, body) {
      const { providers } = body;
      return save(caller, body, async (before) => ({
        ...readIdentity({ ...before, ...body }),
        providers: providers
          ? await chain.next(caller.principal.environmentId, providers, before.providers)
          : before.providers,
      }));
    },

    async verify({ environmentId }, providerId) {
      const { providers, from_address } = await getSettings(pool, environmentId);
      const provider = providers.find(({ id }) => id === providerId.toLowerCase());
      if (!provider) throw notFound('provider');
      const opened = chain.open(environmentId, provider);
      if (!opened) return { ok: false, detail: 'The stored secrets cannot be decrypted; enter them again.' };
      const carrier = chain.kindOf(provider).create(provider.name, opened, {
        policy: config.CARILLON_ALLOW_PRIVATE_NETWORK,
        clock,
        sandbox: deps.sandboxStore,
        outbound,
        smtpName: smtpNameFor(config, from_address),
      });
      try {
        const verdict = await carrier.verify();
        if (verdict.ok && provider.enabled) {
          await wakeWaiting(pool, deps.queue, environmentId, 'email');
          deps.queue.ring('wake');
        }
        return verdict;
      } finally {
        await carrier.close();
      }
    },
  };
}

const nothingGiven = () =>
  new Problem(
    'parameter_missing',
    'The body is empty: give the settings, at least providers. Omitted ones return to their default; PATCH leaves them unchanged.',
    { param: 'providers' },
  );

const lockedByOperator = () =>
  invalidParameter(
    'sender_locked',
    'sender_locked cannot be false: email is sent through the operator’s server with the operator’s sender. Add your own provider to choose a sender.',
  );

const idsOf = ({ providers }: EmailSettings): string[] => providers.map(({ id }) => id);

type Identity = Omit<EmailSettings, 'providers'>;

function readIdentity(body: Omit<EmailSettingsBody, 'providers'>): Identity {
  const address = (param: 'from_address' | 'reply_to'): string | null => {
    const given = body[param];
    if (given === undefined || given === null || given === '') return null;
    const parsed = param === 'reply_to' ? parseReplyTo(given) : parseEmailAddress(given);
    if ('problem' in parsed) throw invalidParameter(param, `${param} ${parsed.problem}.`);
    return parsed.address;
  };
  const nameProblem = displayNameProblem(body.from_name ?? '');
  if (nameProblem) throw invalidParameter('from_name', `from_name ${nameProblem}.`);
  return {
    from_address: address('from_address'),
    from_name: body.from_name || null,
    reply_to: address('reply_to'),
    sender_locked: body.sender_locked ?? false,
    track_opens: body.track_opens ?? false,
    track_clicks: body.track_clicks ?? false,
  };
}
