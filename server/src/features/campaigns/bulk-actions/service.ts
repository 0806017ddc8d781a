import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { hashBody } from '../../../http/json.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { momentNow, msSince } from '../../../kernel/clock.ts';
import type { Keyring } from '../../../kernel/crypto.ts';
import { invalidParameter, notFound, Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { endAtRate, progressView } from '../../../kernel/progress.ts';
import { sourceIdOf } from '../../notifications/notifications/index.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import {
  type BulkAction,
  type BulkActionKind,
  type BulkActionStatus,
  type BulkFilter,
  type BulkPreview,
  filterNames,
} from './schema.ts';
import type { BulkActionRow } from './store.ts';
import * as store from './store.ts';

export interface BulkActionService {
  preview(principal: Principal, action: BulkActionKind, filter: BulkFilter): Promise<BulkPreview>;
  /** Starts what a preview has shown. A token that is used twice starts one action. */
  start(
    caller: Caller,
    action: BulkActionKind,
    filter: BulkFilter,
    confirmToken: string,
  ): Promise<BulkAction>;
  get(principal: Principal, id: string): Promise<BulkAction>;
  list(
    principal: Principal,
    query: { status?: BulkActionStatus; limit?: number; cursor?: string },
  ): Promise<Page<BulkAction>>;
  /** Ends a running action; what is done stays done. */
  cancel(caller: Caller, id: string): Promise<BulkAction>;
}

const confirmWithinMs = 600_000;
const sampleSize = 5;
const pageSize = 500;
/** A preview counts this far, and not longer than this. */
const maxCounted = 20_000;
const countWithinMs = 2_000;
const maxRunning = 10;

type BulkDeps = Pick<Deps, 'pool' | 'listReads' | 'queue' | 'clock' | 'keyring'>;

export function createBulkActionService(deps: BulkDeps): BulkActionService {
  const { pool, listReads, queue, clock, keyring } = deps;

  async function getRow(principal: Principal, id: string): Promise<store.BulkActionRow> {
    const row = await store.findBulkAction(pool, principal.environmentId, id);
    if (!row) throw notFound('bulk action');
    return row;
  }

  return {
    async preview(principal, action, filter) {
      checkScope(principal, action);
      checkFilter(action, filter);
      return previewAction(deps, principal, action, filter);
    },

    async start(caller, action, filter, confirmToken) {
      const { principal } = caller;
      checkScope(principal, action);
      checkFilter(action, filter);
      const { environmentId } = principal;
      const confirmed = readConfirmToken(keyring, environmentId, confirmToken, { action, filter });
      if (!confirmed)
        throw invalidParameter(
          'confirm_token',
          'confirm_token does not belong to this request. Preview it first.',
        );
      const row = await transaction(pool, async (tx) => {
        const known = await store.findBulkAction(tx, environmentId, confirmed.id);
        if (known) return known;
        if (confirmed.expiresAtMs < clock())
          throw invalidParameter('confirm_token', 'confirm_token has expired. Preview the action again.');
        if ((await store.countRunning(tx, environmentId)) >= maxRunning)
          throw new Problem(
            'bulk_action_limit_reached',
            `An environment can have ${maxRunning} running bulk actions. Wait for one to complete, or cancel it.`,
          );
        const started = await store.insertBulkAction(tx, {
          ...{ id: confirmed.id, environment_id: environmentId, action, filter },
          ...{ before: confirmed.before, total: confirmed.total, source_id: sourceIdOf(principal) },
        });
        if (!started) return null; // the same token, at the same time
        await queue.enqueue(tx, [{ kind: 'bulk_action', id: started.id, lane: 'bulk', environmentId }]);
        await recordAudit(tx, caller, {
          action: `notifications.${action}_started`,
          target: `bulk_action:${started.id}`,
          after: { filter: withoutPerson(filter), total: started.total },
        });
        return started;
      });
      queue.ring('bulk_action');
      return viewOf(row ?? (await getRow(principal, confirmed.id)), clock());
    },

    async get(principal, id) {
      return viewOf(await getRow(principal, id), clock());
    },

    async list(principal, { status, ...query }) {
      const name = `bulk-actions:${principal.environmentId}`;
      const page = pageRequest(name, query);
      const rows = await listReads.read(principal.id, (sql) =>
        store.listBulkActions(sql, principal.environmentId, status ?? null, page),
      );
      const { data, next_cursor } = pageOf(name, rows, page.limit);
      return { data: data.map((row) => viewOf(row, clock())), next_cursor };
    },

    async cancel(caller, id) {
      const { principal } = caller;
      await transaction(pool, async (tx) => {
        const row = await store.lockBulkAction(tx, principal.environmentId, id);
        if (!row) throw notFound('bulk action');
        if (row.status !== 'running') return;
        await store.updateBulkAction(tx, { ...row, status: 'cancelled' });
        await recordAudit(tx, caller, {
          action: 'bulk_action.cancelled',
          target: `bulk_action:${id}`,
          before: { status: row.status },
          after: { status: 'cancelled' },
        });
      });
      return this.get(principal, id);
    },
  };
}

/** Counts and samples what an action would change. */
async function previewAction(
  { listReads, clock, keyring }: BulkDeps,
  principal: Principal,
  action: BulkActionKind,
  filter: BulkFilter,
): Promise<BulkPreview> {
  const now = clock();
  const { environmentId } = principal;
  const before = newId(now);
  const sample: BulkPreview['sample'] = [];
  const startedAt = momentNow();
  let count = 0;
  let next: string | null = before;
  while (next !== null && count < maxCounted && msSince(startedAt) < countWithinMs) {
    const from: string = next;
    const matches = await listReads.read(principal.id, (sql) =>
      store.listMatches(sql, environmentId, action, filter, { before: from, limit: pageSize }),
    );
    count += matches.rows.length;
    for (const { id, channel, address, template_key, last_error } of matches.rows.slice(
      0,
      sampleSize - sample.length,
    ))
      sample.push({ id, channel, template_key, last_error, recipient: address });
    next = matches.next;
  }
  const isExact = next === null;
  const expiresAtMs = now + confirmWithinMs;
  return {
    action,
    count,
    count_is_exact: isExact,
    sample,
    confirm_token: makeConfirmToken(keyring, environmentId, {
      ...{ id: newId(now), action, filter, before, expiresAtMs },
      total: isExact ? count : null,
    }),
    expires_at: new Date(expiresAtMs).toISOString(),
  };
}

/** The audit log keeps no personal data. */
function withoutPerson({ recipient, external_user_id, ...filter }: BulkFilter): object {
  return {
    ...filter,
    ...(recipient === undefined ? {} : { recipient: '…' }),
    ...(external_user_id === undefined ? {} : { external_user_id: '…' }),
  };
}

/** Routes require `notifications:write`; a redrive sends as well. */
function checkScope(principal: Principal, action: BulkActionKind): void {
  if (action === 'redrive' && !principal.scopes.has('notifications:send'))
    throw new Problem('insufficient_scope', 'A redrive requires the scope notifications:send, too.');
}

/** A filter that is misspelled, or was left empty by mistake, must not match everything. */
function checkFilter(action: BulkActionKind, filter: BulkFilter): void {
  const unknown = Object.keys(filter).find((name) => !filterNames[action].has(name));
  if (unknown !== undefined)
    throw invalidParameter(`filter.${unknown}`, `filter.${unknown} is not a filter of this action.`);
  const { status: _status, all, ...fields } = filter;
  const { created_after: after, created_before: before } = fields;
  if (after && before && Date.parse(after) >= Date.parse(before))
    throw invalidParameter(
      'filter.created_before',
      'filter.created_before must be later than filter.created_after.',
    );
  if (all || Object.values(fields).some((value) => value !== undefined && value !== null)) return;
  throw new Problem(
    'parameter_missing',
    'The filter matches every notification. Narrow it, or set filter.all to true.',
    { param: 'filter' },
  );
}

function viewOf(row: BulkActionRow, now: number): BulkAction {
  const { id, action, status, filter, total, skipped, started_at } = row;
  const worked = row.done + skipped;
  const elapsedMs = now - started_at.getTime();
  const endMs =
    status === 'running' && total !== null
      ? endAtRate({ done: worked, left: Math.max(0, total - worked), elapsedMs }, now)
      : null;
  return {
    ...{ id, action, filter, ...progressView(row, endMs), skipped },
    started_at: started_at.toISOString(),
  };
}

/** What a preview has shown, and a confirmation starts. */
interface ConfirmedPreview {
  /** The id of the action: a token that is used twice starts one action. */
  id: string;
  action: BulkActionKind;
  /** A filter itself could make the token longer than the request may be. */
  filterHash: string;
  /** Notifications accepted after the preview have this id or a greater one. */
  before: string;
  total: number | null;
  expiresAtMs: number;
}

const contextOf = (environmentId: string): string => `bulk action of ${environmentId}`;

/** Sealed instead of stored: most previews are never confirmed. */
function makeConfirmToken(
  keyring: Keyring,
  environmentId: string,
  { filter, ...preview }: Omit<ConfirmedPreview, 'filterHash'> & { filter: BulkFilter },
): string {
  const confirmed: ConfirmedPreview = { ...preview, filterHash: hashBody(filter) };
  return keyring.seal(JSON.stringify(confirmed), contextOf(environmentId));
}

/** Returns null unless the token is for this environment, action and filter. */
function readConfirmToken(
  keyring: Keyring,
  environmentId: string,
  token: string,
  asked: { action: BulkActionKind; filter: BulkFilter },
): ConfirmedPreview | null {
  try {
    const preview = JSON.parse(keyring.open(token, contextOf(environmentId))) as ConfirmedPreview;
    const isSame = preview.action === asked.action && preview.filterHash === hashBody(asked.filter);
    return isSame ? preview : null;
  } catch {
    return null;
  }
}
