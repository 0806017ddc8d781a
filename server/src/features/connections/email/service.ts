import type { ProviderConfig, VerificationResult } from '../../../channels/contract.ts';
import { displayNameProblem, parseEmailAddress } from '../../../channels/email/address.ts';
import { mailboxText } from '../../../channels/email/parts.ts';
import { emailProviders, type ProviderKind } from '../../../channels/registry.ts';
import type { SandboxStore } from '../../../channels/sandbox/index.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { invalidParameter, notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../audit/index.ts';
import { callbackUrl, type LinkSecrets } from '../../links/index.ts';
import { findHealth, forgetHealth } from '../../provider-health/index.ts';
import type { StoredProvider } from '../provider-config.ts';
import { maskConfig, openConfig, readConfig, sealConfig } from '../provider-config.ts';
import { wakeWaiting } from '../waiting.ts';
import { managedRelay } from './managed.ts';
import type { EmailSettingsBody, EmailSettingsView, ProviderBody } from './schema.ts';
import { smtpNameFor } from './senders.ts';
import { type EmailSettings, getSettings, lockSettings, updateSettings } from './store.ts';

type SettingsDeps = Pick<
  Deps,
  'pool' | 'queue' | 'keyring' | 'config' | 'clock' | 'outbound' | 'publicUrl'
> & { sandboxStore: SandboxStore; linkSecrets: LinkSecrets };

export interface EmailSettingsService {
  read(principal: Principal): Promise<EmailSettingsView>;
  replace(principal: Principal, body: EmailSettingsBody, requestId: string): Promise<EmailSettingsView>;
  /** Changes the fields that the body gives, and leaves the rest unchanged. */
  update(principal: Principal, body: EmailSettingsBody, requestId: string): Promise<EmailSettingsView>;
  verify(principal: Principal, providerId: string): Promise<VerificationResult>;
}

export function createEmailSettingsService(deps: SettingsDeps): EmailSettingsService {
  const { pool, keyring, config, clock, outbound, linkSecrets } = deps;

  /** The settings without secrets and without volatile fields; the audit log keeps this form too. */
  const settingsOf = (environmentId: string, { providers, ...settings }: EmailSettings) => ({
    ...settings,
    providers: providers.map((provider) => ({
      id: provider.id,
      kind: provider.kind,
      name: provider.name,
      enabled: provider.enabled,
      config: maskConfig(keyring, environmentId, kindOf(provider.kind), provider),
    })),
  });

  async function viewOf(
    sql: Sql,
    { environmentId, environmentKind }: Principal,
    stored: EmailSettings,
  ): Promise<EmailSettingsView> {
    const relay = managedRelay(config, environmentKind, stored);
    const healthOf = await findHealth(sql, environmentId);
    const secret = (await linkSecrets.secretsFor([environmentId])).get(environmentId);
    const { providers, ...settings } = settingsOf(environmentId, stored);
    return {
      ...settings,
      sender_locked: settings.sender_locked || relay !== null,
      managed_from: relay && mailboxText({ ...relay.from, name: relay.from.name ?? '' }),
      providers: providers.map((provider) => ({
        ...provider,
        callback_url:
          secret && kindOf(provider.kind).readCallback
            ? callbackUrl(deps.publicUrl(), secret, provider.kind, provider.id)
            : null,
        health: healthOf(provider.id),
      })),
    };
  }

  /** Returns null when the key that sealed the secrets is no longer configured: they are lost and must be entered again. */
  function openIfPossible(
    environmentId: string,
    kind: ProviderKind,
    stored: StoredProvider,
  ): ProviderConfig | null {
    try {
      return openConfig(keyring, environmentId, kind, stored);
    } catch {
      return null;
    }
  }

  function nextProviders(
    environmentId: string,
    given: ProviderBody[],
    before: StoredProvider[],
  ): StoredProvider[] {
    const known = given.map((body) =>
      before.find(({ id, kind }) => id === body.id?.toLowerCase() && kind === body.kind),
    );
    const names = uniqueNames(
      given.map((body, index) => ({ kind: body.kind, name: body.name ?? known[index]?.name ?? null })),
    );
    return given.map((body, index) => {
      const param = `providers[${index}]`;
      const stored = known[index];
      if (stored && known.indexOf(stored) !== index)
        throw invalidParameter(`${param}.id`, `${param}.id is a duplicate.`);
      const kind = kindOf(body.kind);
      const id = stored?.id ?? newId();
      const secrets = stored ? openIfPossible(environmentId, kind, stored) : null;
      const complete = readConfig(kind, body.config ?? {}, secrets, `${param}.config`);
      return {
        id,
        kind: body.kind,
        name: names[index] ?? body.kind,
        enabled: body.enabled ?? true,
        config: sealConfig(keyring, environmentId, kind, { id, config: complete }),
      };
    });
  }

  async function save(
    principal: Principal,
    body: EmailSettingsBody,
    requestId: string,
    next: (before: EmailSettings) => EmailSettings,
  ): Promise<EmailSettingsView> {
    const { environmentId } = principal;
    const isManaged = (settings: EmailSettings): boolean =>
      managedRelay(config, principal.environmentKind, settings) !== null;
    await linkSecrets.secretsFor([environmentId]); // cached from here on, so the transaction needs no second connection for it
    const view = await transaction(pool, async (tx) => {
      const before = await lockSettings(tx, environmentId);
      const after = next(before);
      if (body.sender_locked === false && isManaged(before) && isManaged(after)) throw lockedByOperator();
      await updateSettings(tx, environmentId, after);
      // The health of replaced providers is reset; a change of the sender does not affect it.
      if (after.providers !== before.providers)
        await forgetHealth(
          tx,
          environmentId,
          after.providers.map(({ id }) => id),
        );
      await recordAudit(tx, {
        principal,
        requestId,
        action: 'email_settings.updated',
        target: `environment:${environmentId}`,
        before: settingsOf(environmentId, before),
        after: settingsOf(environmentId, after),
      });
      await wakeWaiting(tx, deps.queue, environmentId, 'email');
      return viewOf(tx, principal, after);
    });
    deps.queue.ring('wake');
    return view;
  }

  return {
    async read(principal) {
      return viewOf(pool, principal, await getSettings(pool, principal.environmentId));
    },

    replace(principal, body, requestId) {
      const identity = readIdentity(body);
      return save(principal, body, requestId, (before) => ({
        ...identity,
        providers: nextProviders(principal.environmentId, body.providers ?? [], before.providers),
      }));
    },

    update(principal, body, requestId) {
      const { providers } = body;
      return save(principal, body, requestId, (before) => ({
        ...readIdentity({ ...before, ...givenFields(body) }),
        providers: providers
          ? nextProviders(principal.environmentId, providers, before.providers)
          : before.providers,
      }));
    },

    async verify({ environmentId }, providerId) {
      const { providers, from_address } = await getSettings(pool, environmentId);
      const provider = providers.find(({ id }) => id === providerId.toLowerCase());
      if (!provider) throw notFound('provider');
      const kind = kindOf(provider.kind);
      const opened = openIfPossible(environmentId, kind, provider);
      if (!opened) return { ok: false, detail: 'The stored secrets cannot be decrypted; enter them again.' };
      const carrier = kind.create(provider.name, opened, {
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

const lockedByOperator = () =>
  invalidParameter(
    'sender_locked',
    'sender_locked cannot be false: email is sent through the operator’s server with the operator’s sender. Add your own provider to choose a sender.',
  );

function kindOf(kind: string): ProviderKind {
  const found = emailProviders[kind];
  if (!found) throw new Error(`unknown kind of provider: ${kind}`); // the schema lets only known ones in
  return found;
}

type Identity = Omit<EmailSettings, 'providers'>;

/** A null leaves a setting unchanged; the empty text clears it. */
function givenFields({ providers: _, ...identity }: EmailSettingsBody): Partial<Identity> {
  return Object.fromEntries(Object.entries(identity).filter(([, value]) => value !== null));
}

function readIdentity(body: Omit<EmailSettingsBody, 'providers'>): Identity {
  const address = (param: 'from_address' | 'reply_to'): string | null => {
    const given = body[param];
    if (given === undefined || given === null || given === '') return null;
    const parsed = parseEmailAddress(given);
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

/** Given names stay, and must differ; missing names become their kind, with `-2` … when that is taken. */
function uniqueNames(wanted: { kind: string; name: string | null }[]): string[] {
  const taken = new Set<string>();
  wanted.forEach(({ name }, index) => {
    if (name === null) return;
    if (taken.has(name.toLowerCase())) {
      throw invalidParameter(
        `providers[${index}].name`,
        `providers[${index}].name is already used by another provider.`,
      );
    }
    taken.add(name.toLowerCase());
  });
  return wanted.map(({ kind, name }) => {
    if (name !== null) return name;
    let free = kind;
    for (let number = 2; taken.has(free); number += 1) free = `${kind}-${number}`;
    taken.add(free);
    return free;
  });
}
