import type { ProviderConfig } from '../../../../channels/contract.ts';
import type { ProviderKind } from '../../../../channels/registry.ts';
import type { Sql } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import { invalidParameter } from '../../../../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../../../../kernel/event-loop.ts';
import { newId } from '../../../../kernel/ids.ts';
import { callbackUrl, type LinkSecrets } from '../../../platform/links/index.ts';
import { findHealth, type ProviderHealth } from '../../provider-health/index.ts';
import { maskConfig, openConfig, readConfig, type StoredProvider, sealConfig } from '../provider-config.ts';
import type { ProviderBody } from './schema.ts';

/** The chain of providers in the settings of an environment: the part that email and SMS share. */
interface ProviderChain {
  kindOf(provider: Pick<StoredProvider, 'kind'>): ProviderKind;
  /** The chain that a caller gave. A provider with the id of a stored one keeps its id, its name and the omitted secrets. */
  next(
    environmentId: string,
    given: readonly ProviderBody[],
    before: readonly StoredProvider[],
  ): Promise<StoredProvider[]>;
  /** Returns null when the key that sealed the secrets is no longer configured: they are lost and must be entered again. */
  open(environmentId: string, provider: StoredProvider): ProviderConfig | null;
  /** The provider without secrets and without volatile fields; the audit log keeps this form too. */
  shown(environmentId: string, provider: StoredProvider): StoredProvider;
  /** The fields of providers that are not in the settings. */
  liveFieldsOf(sql: Sql, environmentId: string): Promise<(provider: StoredProvider) => LiveFields>;
}

interface LiveFields {
  callback_url: string | null;
  health: ProviderHealth;
}

type ChainDeps = Pick<Deps, 'keyring' | 'publicUrl'> & { linkSecrets: LinkSecrets };

export function createProviderChain(
  { keyring, publicUrl, linkSecrets }: ChainDeps,
  kinds: Readonly<Record<string, ProviderKind>>,
  /** The kind in the callback URL; null for a provider that makes no callbacks. */
  callbackKindOf: (kind: string) => string | null = (kind) => (kinds[kind]?.readCallback ? kind : null),
): ProviderChain {
  function kindOf({ kind }: Pick<StoredProvider, 'kind'>): ProviderKind {
    const found = kinds[kind];
    if (!found) throw new Error(`unknown kind of provider: ${kind}`); // the schema lets only known ones in
    return found;
  }

  function open(environmentId: string, provider: StoredProvider): ProviderConfig | null {
    try {
      return openConfig(keyring, environmentId, kindOf(provider), provider);
    } catch {
      return null;
    }
  }

  return {
    kindOf,
    open,

    async next(environmentId, given, before) {
      const known = given.map((body) =>
        before.find(({ id, kind }) => id === body.id?.toLowerCase() && kind === body.kind),
      );
      const names = uniqueNames(
        given.map((body, index) => ({ kind: body.kind, name: body.name ?? known[index]?.name ?? null })),
      );
      const providers: StoredProvider[] = [];
      for (const [index, body] of given.entries()) {
        // Settings may hold templates, which take some milliseconds to parse.
        while (shouldYield()) await yieldToEventLoop();
        const param = `providers[${index}]`;
        const stored = known[index];
        if (stored && known.indexOf(stored) !== index)
          throw invalidParameter(`${param}.id`, `${param}.id is a duplicate.`);
        const kind = kindOf(body);
        const id = stored?.id ?? newId();
        const secrets = stored ? open(environmentId, stored) : null;
        const config = readConfig(kind, body.config ?? {}, secrets, `${param}.config`);
        providers.push({
          id,
          kind: body.kind,
          name: names[index] ?? body.kind,
          enabled: body.enabled ?? true,
          config: sealConfig(keyring, environmentId, kind, { id, config }),
        });
      }
      return providers;
    },

    shown: (environmentId, provider) => ({
      id: provider.id,
      kind: provider.kind,
      name: provider.name,
      enabled: provider.enabled,
      config: maskConfig(keyring, environmentId, kindOf(provider), provider),
    }),

    async liveFieldsOf(sql, environmentId) {
      const healthOf = await findHealth(sql, environmentId);
      const secret = (await linkSecrets.secretsFor([environmentId])).get(environmentId);
      return ({ id, kind }) => {
        const callbackKind = callbackKindOf(kind);
        return {
          callback_url: secret && callbackKind ? callbackUrl(publicUrl(), secret, callbackKind, id) : null,
          health: healthOf(id),
        };
      };
    },
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
