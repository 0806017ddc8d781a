import { parseTarget } from '../../channels/net.ts';
import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { Caller, Principal } from '../../http/principal.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { invalidParameter, notFound, Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../kernel/page.ts';
import { recordAudit } from '../platform/audit/index.ts';
import { openUrl, sealUrl } from './endpoint-url.ts';
import * as store from './endpoints-store.ts';
import { pausedName, pausedPrefix, startResume } from './paused.ts';
import {
  defaultTimeoutSeconds,
  type EndpointChange,
  type NewWebhookEndpoint,
  type WebhookEndpoint,
  webhookLimits,
} from './schema.ts';
import {
  endpointContext,
  environmentContext,
  issueSecret,
  lockEnvironmentSecrets,
  updateEnvironmentSecrets,
} from './secrets.ts';
import { endpointView } from './view.ts';

export interface WebhookEndpointsService {
  create(caller: Caller, request: NewWebhookEndpoint): Promise<WebhookEndpoint & { signing_secret: string }>;
  get(principal: Principal, id: string): Promise<WebhookEndpoint>;
  list(
    principal: Principal,
    query: { cursor?: string; limit?: number; include_disabled?: boolean },
  ): Promise<Page<WebhookEndpoint>>;
  update(caller: Caller, id: string, change: EndpointChange): Promise<WebhookEndpoint>;
  disable(caller: Caller, id: string): Promise<void>;
  rotateSecret(caller: Caller, id: string): Promise<WebhookEndpoint & { signing_secret: string }>;
  /** Returns the new signing secret of the environment, with its prefix. */
  rotateEnvironmentSecret(caller: Caller): Promise<{ secret: string; prefix: string }>;
}

type ServiceDeps = Pick<Deps, 'pool' | 'queue' | 'clock' | 'keyring' | 'config'>;

/** Changes that users make to endpoints. Every change is audited in the same transaction. */
export function createWebhookEndpointsService(deps: ServiceDeps): WebhookEndpointsService {
  const { pool, clock, keyring } = deps;
  return {
    async create(caller, request) {
      const { environmentId } = caller.principal;
      checkUrl(deps, request.url);
      const id = newId(clock());
      const { secret, prefix, stored } = issueSecret(keyring, endpointContext(id), [], clock());
      const row: store.EndpointRow = {
        id,
        environment_id: environmentId,
        ...sealUrl(keyring, id, request.url),
        status: request.status ?? 'active',
        ...settingsOf(request),
        secrets: stored,
        signing_secret_prefix: prefix,
        failing_since: null,
        disabled_reason: null,
      };
      await transaction(pool, async (tx) => {
        if ((await store.countEndpoints(tx, environmentId)) >= webhookLimits.endpoints) {
          throw invalidParameter(
            'url',
            `An environment can have at most ${webhookLimits.endpoints} webhook endpoints.`,
          );
        }
        if (!(await store.insertEndpoint(tx, row, urlHash(request.url)))) throw urlExists();
        await audit(tx, caller, 'created', null, row);
      });
      return { ...endpointView(row), url: request.url, paused_delivery_count: 0, signing_secret: secret };
    },

    async get(principal, id) {
      const row = await store.findEndpoint(pool, principal.environmentId, id);
      if (!row) throw notFound('webhook endpoint');
      return shown(deps, row);
    },

    async list({ environmentId }, query) {
      const list = `webhook_endpoints:${environmentId}`;
      const page = pageRequest(list, query);
      const rows = await store.listEndpoints(pool, environmentId, query.include_disabled ?? false, page);
      const { data, next_cursor } = pageOf(list, rows, page.limit);
      return { data: await withPausedCounts(deps, environmentId, data), next_cursor };
    },

    async update(caller, id, change) {
      if (change.url !== undefined) checkUrl(deps, change.url);
      const changed = await conflictIfTaken(() =>
        transaction(pool, async (tx) => {
          const before = await lock(tx, caller.principal, id);
          const resumed = change.status === 'active' && before.status !== 'active';
          const after: store.EndpointRow = {
            ...before,
            ...(change.url !== undefined && sealUrl(keyring, id, change.url)),
            ...settingsOf({ ...before, ...change }),
            status: change.status ?? before.status,
            // Resuming resets the failure window: the five days count from the next failure.
            failing_since: resumed ? null : before.failing_since,
            disabled_reason: change.status ? null : before.disabled_reason,
          };
          await save(tx, deps, before, after, change.url);
          await audit(tx, caller, 'updated', before, after);
          return after;
        }),
      );
      return shown(deps, changed);
    },

    async disable(caller, id) {
      await transaction(pool, async (tx) => {
        const before = await lock(tx, caller.principal, id);
        if (before.status === 'disabled') return;
        const after: store.EndpointRow = { ...before, status: 'disabled', disabled_reason: null };
        await save(tx, deps, before, after);
        await audit(tx, caller, 'disabled', before, after);
      });
    },

    async rotateSecret(caller, id) {
      const { row, secret } = await transaction(pool, async (tx) => {
        const before = await lock(tx, caller.principal, id);
        const { secret, prefix, stored } = issueSecret(keyring, endpointContext(id), before.secrets, clock());
        await store.updateSecrets(tx, id, stored, prefix);
        const after = { ...before, secrets: stored, signing_secret_prefix: prefix };
        await audit(tx, caller, 'secret_rotated', before, after);
        return { row: after, secret };
      });
      return { ...(await shown(deps, row)), signing_secret: secret };
    },

    async rotateEnvironmentSecret(caller) {
      const { environmentId } = caller.principal;
      return transaction(pool, async (tx) => {
        const before = await lockEnvironmentSecrets(tx, environmentId);
        const issued = issueSecret(keyring, environmentContext(environmentId), before, clock());
        await updateEnvironmentSecrets(tx, environmentId, issued.stored);
        await recordAudit(tx, caller, {
          action: 'webhook_secret.rotated',
          target: `environment:${environmentId}`,
          after: { signing_secret_prefix: issued.prefix },
        });
        return issued;
      });
    },
  };
}

function checkUrl({ config }: ServiceDeps, text: string): void {
  const target = parseTarget(text, config.CARILLON_ALLOW_PRIVATE_NETWORK);
  if ('problem' in target) throw invalidParameter('url', `url ${target.problem}.`);
}

async function audit(
  tx: Sql,
  caller: Caller,
  change: string,
  before: store.EndpointRow | null,
  after: store.EndpointRow,
): Promise<void> {
  await recordAudit(tx, caller, {
    action: `webhook_endpoint.${change}`,
    target: `webhook_endpoint:${after.id}`,
    before: before && endpointView(before),
    after: endpointView(after),
  });
}

async function lock(tx: Sql, principal: Principal, id: string): Promise<store.EndpointRow> {
  const row = await store.lockEndpoint(tx, principal.environmentId, id);
  if (!row) throw notFound('webhook endpoint');
  return row;
}

/** Adds the whole URL, and how many deliveries wait because their endpoint is paused: one query for all endpoints of the environment. */
async function withPausedCounts(
  { pool, queue, keyring }: ServiceDeps,
  environmentId: string,
  rows: store.EndpointRow[],
): Promise<WebhookEndpoint[]> {
  const [only] = rows;
  const prefix = rows.length === 1 && only ? pausedName(only.id) : pausedPrefix;
  const counts = await queue.countWaitingFor(
    pool,
    'webhook_delivery',
    environmentId,
    prefix,
    webhookLimits.pausedCount,
  );
  const countOf = new Map(counts.map(({ name, count }) => [name, count]));
  return rows.map((row) => ({
    ...endpointView(row),
    url: openUrl(keyring, row),
    paused_delivery_count: countOf.get(pausedName(row.id)) ?? 0,
  }));
}

async function shown(deps: ServiceDeps, row: store.EndpointRow): Promise<WebhookEndpoint> {
  const [view] = await withPausedCounts(deps, row.environment_id, [row]);
  return view as WebhookEndpoint;
}

/** Writes a changed endpoint and, when it was paused, begins to release the deliveries that wait for it. */
async function save(
  tx: Sql,
  { queue, clock }: ServiceDeps,
  before: store.EndpointRow,
  after: store.EndpointRow,
  newUrl?: string,
): Promise<void> {
  await store.updateEndpoint(tx, after, newUrl === undefined ? null : urlHash(newUrl));
  if (before.status === 'paused' && after.status !== 'paused') await startResume(tx, queue, after, clock());
}

type Settings = Pick<store.EndpointRow, 'event_filters' | 'description' | 'timeout_seconds'>;

/** The settings with the defaults of those that are null. */
function settingsOf({
  event_filters: filters,
  description,
  timeout_seconds: timeout,
}: Pick<EndpointChange, keyof Settings>): Settings {
  return {
    event_filters: [...new Set(filters ?? [])],
    description: description ?? '',
    timeout_seconds: timeout ?? defaultTimeoutSeconds,
  };
}

/** The hash is of the normalized URL, so that two spellings of one URL are the same. */
function urlHash(text: string): Buffer {
  const url = new URL(text);
  url.hash = '';
  return sha256(url.href);
}

function urlExists(): Problem {
  return new Problem('webhook_url_exists', 'The environment already has a webhook endpoint with this URL.', {
    param: 'url',
  });
}

async function conflictIfTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if ((error as { constraint?: string }).constraint === 'webhook_endpoints_by_url') throw urlExists();
    throw error;
  }
}
