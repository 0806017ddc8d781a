import type { VerificationResult } from '../../../../channels/contract.ts';
import type { SandboxStore } from '../../../../channels/sandbox/index.ts';
import type { Config } from '../../../../config.ts';
import { type Sql, transaction } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import type { Caller, Principal } from '../../../../http/principal.ts';
import { invalidParameter, notFound } from '../../../../kernel/errors.ts';
import { newId } from '../../../../kernel/ids.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { LinkSecrets } from '../../../platform/links/index.ts';
import { forgetHealth } from '../../provider-health/index.ts';
import { createProviderChain } from '../chain/chain.ts';
import { sealConfig } from '../provider-config.ts';
import type { SenderDirectory } from '../sender-directory.ts';
import { wakeWaiting } from '../waiting.ts';
import { readCredentials, readKind, readSender } from './input.ts';
import { callbackKindOf, managedProvider, openProvider, type SmsCallbackUrl, smsKinds } from './provider.ts';
import {
  type SmsProvidersBody,
  type SmsProvidersView,
  type SmsSettingsBody,
  type SmsSettingsView,
  shownKind,
} from './schema.ts';
import {
  deleteSmsSettings,
  findSmsSettings,
  lockSmsSettings,
  type StoredSmsProvider,
  updateSmsCheck,
  updateSmsSettings,
} from './store.ts';

type SmsSettingsDeps = Pick<
  Deps,
  'pool' | 'queue' | 'keyring' | 'config' | 'clock' | 'outbound' | 'publicUrl'
> & {
  sandboxStore: SandboxStore;
  linkSecrets: LinkSecrets;
  senderDirectory: SenderDirectory;
  smsCallbackUrl: SmsCallbackUrl;
};

/**
 * The settings of an environment are a chain of providers. `read` and `replace` show and take a single provider: the first of
 * the chain, and a chain of one.
 */
export interface SmsSettingsService {
  read(principal: Principal): Promise<SmsSettingsView>;
  replace(caller: Caller, body: SmsSettingsBody): Promise<SmsSettingsView>;
  remove(caller: Caller): Promise<void>;
  readChain(principal: Principal): Promise<SmsProvidersView>;
  replaceChain(caller: Caller, body: SmsProvidersBody): Promise<SmsProvidersView>;
  verify(principal: Principal, providerId: string): Promise<VerificationResult>;
}

type Providers = readonly StoredSmsProvider[];
type CheckResult = Pick<StoredSmsProvider, 'credentials_validated_at' | 'credentials_detail'>;

const unchecked: CheckResult = { credentials_validated_at: null, credentials_detail: '' };
const undecipherable = 'The stored credentials cannot be decrypted; enter them again.';

interface SmsContext extends SmsSettingsDeps {
  chain: ReturnType<typeof createProviderChain>;
}

export function createSmsSettingsService(deps: SmsSettingsDeps): SmsSettingsService {
  const { pool, config } = deps;
  const context: SmsContext = {
    ...deps,
    chain: createProviderChain(deps, smsKinds, (kind) => callbackKindOf(config, kind)),
  };
  return {
    async read({ environmentId }) {
      const settings = await findSmsSettings(pool, environmentId);
      if (!settings) throw notFound('SMS settings');
      return singleView(context, environmentId, settings.providers[0]);
    },

    replace: (caller, body) => replaceSingle(context, caller, body),

    async remove(caller) {
      await save(context, caller, true, async (before) => {
        if (before.length === 0) throw notFound('SMS settings');
        return [];
      });
    },

    async readChain({ environmentId }) {
      const settings = await findSmsSettings(pool, environmentId);
      return chainView(context, pool, environmentId, settings?.providers ?? []);
    },

    async replaceChain(caller, { providers: given }) {
      const { environmentId } = caller.principal;
      const repeated = given.findLastIndex(({ kind }) => kind === 'managed');
      if (repeated !== given.findIndex(({ kind }) => kind === 'managed'))
        throw invalidParameter(
          `providers[${repeated}].kind`,
          `providers[${repeated}].kind can be managed only once.`,
        );
      const saved = await save(context, caller, false, (before) =>
        nextChain(context, environmentId, given, before),
      );
      return chainView(context, pool, environmentId, saved);
    },

    verify: (principal, providerId) => verify(context, principal, providerId),
  };
}

/** The operator sets the sender of the operator's provider. */
const isOperators = (config: Config, kind: string): boolean =>
  kind === 'managed' && managedProvider(config, null) !== null;

/** The fields that email providers do not have. */
const ownFieldsOf = (config: Config, provider: StoredSmsProvider) => ({
  from_number: isOperators(config, provider.kind) ? null : provider.from_number,
  from_sender_id: isOperators(config, provider.kind) ? null : provider.from_sender_id,
  credentials_validated: provider.credentials_validated_at !== null,
  credentials_validated_at: provider.credentials_validated_at,
  credentials_detail: provider.credentials_detail,
});

const singleOf = (config: Config, provider: StoredSmsProvider): Omit<SmsSettingsView, 'callback_url'> => ({
  id: provider.id,
  kind: shownKind(provider.kind),
  ...ownFieldsOf(config, provider),
});

const chainOf = ({ chain, config }: SmsContext, environmentId: string, providers: Providers) =>
  providers.map((provider) => ({
    ...chain.shown(environmentId, provider),
    ...ownFieldsOf(config, provider),
  }));

/** The callback URL is a credential for reporting receipts: it is shown to readers of the settings, and never logged. */
async function singleView(
  { config, smsCallbackUrl }: SmsContext,
  environmentId: string,
  provider: StoredSmsProvider,
): Promise<SmsSettingsView> {
  return { ...singleOf(config, provider), callback_url: await smsCallbackUrl(environmentId, provider) };
}

async function chainView(
  context: SmsContext,
  sql: Sql,
  environmentId: string,
  providers: Providers,
): Promise<SmsProvidersView> {
  const moreOf = await context.chain.liveFieldsOf(sql, environmentId);
  const shown = chainOf(context, environmentId, providers);
  return { providers: shown.map((provider) => ({ ...provider, ...moreOf(provider) })) };
}

/** Chains of one that a caller gave as a single provider are logged as one. */
const auditOf = (context: SmsContext, environmentId: string, providers: Providers, isSingle: boolean) => {
  const [first, ...rest] = providers;
  if (!first) return null;
  return isSingle && rest.length === 0
    ? singleOf(context.config, first)
    : { providers: chainOf(context, environmentId, providers) };
};

async function check(
  context: SmsContext,
  { environmentId, environmentKind }: Pick<Principal, 'environmentId' | 'environmentKind'>,
  stored: StoredSmsProvider,
): Promise<VerificationResult> {
  let provider: ReturnType<typeof openProvider>;
  try {
    provider = openProvider(context, environmentId, stored, null);
  } catch {
    return { ok: false, detail: undecipherable };
  }
  if (!provider)
    return environmentKind === 'test'
      ? { ok: true, detail: 'In Test, messages end in the sandbox.' }
      : { ok: false, detail: 'The operator of this service has configured no SMS provider.' };
  const carrier = provider.kind.create(stored.name, provider.config, {
    policy: context.config.CARILLON_ALLOW_PRIVATE_NETWORK,
    clock: context.clock,
    sandbox: context.sandboxStore,
    outbound: context.outbound,
    smtpName: null,
  });
  return carrier.verify();
}

const resultOf = (clock: Deps['clock'], { ok, detail }: VerificationResult): CheckResult => ({
  credentials_validated_at: ok ? new Date(clock()).toISOString() : null,
  credentials_detail: detail,
});

/** `next` returns the new chain; without providers, the environment has no settings. */
async function save(
  context: SmsContext,
  caller: Caller,
  isSingle: boolean,
  next: (before: Providers) => Promise<StoredSmsProvider[]>,
): Promise<StoredSmsProvider[]> {
  const { environmentId } = caller.principal;
  const saved = await transaction(context.pool, async (tx) => {
    const before = (await lockSmsSettings(tx, environmentId))?.providers ?? [];
    const after = await next(before);
    const [first, ...rest] = after;
    if (!first && before.length === 0) return after;
    if (first) await updateSmsSettings(tx, { environment_id: environmentId, providers: [first, ...rest] });
    else await deleteSmsSettings(tx, environmentId);
    const ids = (providers: Providers): string[] => providers.map(({ id }) => id);
    await forgetHealth(tx, environmentId, ids(before), ids(after));
    await recordAudit(tx, caller, {
      action: first ? 'sms_settings.updated' : 'sms_settings.deleted',
      target: `environment:${environmentId}`,
      before: auditOf(context, environmentId, before, isSingle),
      after: auditOf(context, environmentId, after, isSingle),
    });
    if (first) await wakeWaiting(tx, context.queue, environmentId, 'sms');
    return after;
  });
  context.senderDirectory.forgetSender(environmentId, 'sms');
  if (saved.length > 0) context.queue.ring('wake');
  return saved;
}

/** Adds what the chain of SMS has besides that of email: the senders, and the last check while nothing changed. */
async function nextChain(
  { chain, config }: SmsContext,
  environmentId: string,
  given: SmsProvidersBody['providers'],
  before: Providers,
) {
  const next = await chain.next(environmentId, given, before);
  return next.map((provider, index): StoredSmsProvider => {
    const at = `providers[${index}].`;
    const stored = before.find(({ id }) => id === provider.id);
    const isSame =
      stored !== undefined &&
      JSON.stringify(chain.open(environmentId, stored)) ===
        JSON.stringify(chain.open(environmentId, provider));
    return {
      ...provider,
      ...readSender(provider.kind, given[index] ?? {}, at, isOperators(config, provider.kind)),
      ...(isSame ? resultIn(stored) : unchecked),
    };
  });
}

async function replaceSingle(
  context: SmsContext,
  caller: Caller,
  body: SmsSettingsBody,
): Promise<SmsSettingsView> {
  const { pool, keyring, config, clock, chain } = context;
  const { principal } = caller;
  const { environmentId } = principal;
  const kind = readKind(body.kind);
  const [stored] = (await findSmsSettings(pool, environmentId))?.providers ?? [];
  const credentials = stored?.kind === kind ? chain.open(environmentId, stored) : null;
  const opened = readCredentials(kind, body, credentials);
  const sender = readSender(kind, body, '', isOperators(config, kind));
  const providerWith = (id: string, result: CheckResult): StoredSmsProvider => ({
    id,
    kind,
    name: kind,
    enabled: true,
    config: sealConfig(keyring, environmentId, chain.kindOf({ kind }), { id, config: opened }),
    ...sender,
    ...result,
  });
  // The check runs before the transaction: nothing is locked while the provider answers.
  const result = resultOf(clock, await check(context, principal, providerWith(newId(), unchecked)));
  const [saved] = await save(context, caller, true, async (before) => [
    providerWith(before[0]?.id ?? newId(), result),
  ]);
  if (!saved) throw notFound('SMS settings');
  return singleView(context, environmentId, saved);
}

async function verify(
  context: SmsContext,
  principal: Principal,
  providerId: string,
): Promise<VerificationResult> {
  const { pool, queue, clock } = context;
  const { environmentId } = principal;
  const settings = await findSmsSettings(pool, environmentId);
  const provider = settings?.providers.find(({ id }) => id === providerId.toLowerCase());
  if (!provider) throw notFound('provider');
  const verdict = await check(context, principal, provider);
  await updateSmsCheck(pool, environmentId, provider, resultOf(clock, verdict));
  if (verdict.ok && provider.enabled) {
    await wakeWaiting(pool, queue, environmentId, 'sms');
    queue.ring('wake');
  }
  return verdict;
}

function resultIn({ credentials_validated_at, credentials_detail }: CheckResult): CheckResult {
  return { credentials_validated_at, credentials_detail };
}
