import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { bodyHashOf } from '../../../http/json.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import type { InlineCheck, TemplateService } from '../../content/templates/index.ts';
import type { Brake } from '../../control/brake/index.ts';
import { broadcastWait } from '../../delivery/dispatch/index.ts';
import type { LookupSources, Sender } from '../../notifications/notifications/index.ts';
import { checkConfirmed } from '../../people/audiences/index.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import {
  checkIdempotencyKey,
  claimKey,
  findEarlierHolder,
  findKeyHolder,
  type KeyClaim,
} from '../../platform/idempotency/index.ts';
import { listChanges } from './counts-store.ts';
import { checkDefinition } from './definition.ts';
import { dryRun } from './dry-run.ts';
import { addFirstSlice } from './job.ts';
import {
  type Broadcast,
  type BroadcastDefinition,
  type BroadcastDryRun,
  type BroadcastQuery,
  broadcastLimits,
} from './schema.ts';
import { pausedRow } from './slices.ts';
import {
  type BroadcastRow,
  countOpenBroadcasts,
  findBroadcast,
  insertBroadcast,
  type LocalPeriod,
  listBroadcasts,
  lockBroadcast,
  type NewBroadcast,
  updateBroadcast,
} from './store.ts';
import { doneOf, viewOf } from './view.ts';

export interface BroadcastService {
  /** `now` is the moment of the start. */
  dryRun(principal: Principal, definition: BroadcastDefinition, now?: number): Promise<BroadcastDryRun>;
  create(
    caller: Caller,
    definition: BroadcastDefinition,
    idempotencyKey: string | null,
  ): Promise<{ broadcast: Broadcast; replayed: boolean }>;
  /**
   * Makes the checks of `create`, for a feature that starts the broadcast in its own transaction. With a `period`, the local time
   * may have passed: users outside of the period are skipped. Throws the Problem that the API would answer.
   */
  check(sender: Sender, definition: BroadcastDefinition, period?: LocalPeriod): Promise<NewBroadcast>;
  /** Starts a checked broadcast, or throws a Problem before it writes anything. Ring `broadcast` after the commit. */
  start(tx: Sql, checked: NewBroadcast): Promise<void>;
  list(principal: Principal, query: BroadcastQuery): Promise<Page<Broadcast>>;
  get(principal: Principal, id: string): Promise<Broadcast>;
  pause(caller: Caller, id: string): Promise<Broadcast>;
  resume(caller: Caller, id: string): Promise<Broadcast>;
  cancel(caller: Caller, id: string): Promise<Broadcast>;
}

type BroadcastDeps = Pick<Deps, 'pool' | 'listReads' | 'queue' | 'clock' | 'storage' | 'tasks'> & {
  lookups: LookupSources;
  checkInline: InlineCheck;
  templates: Pick<TemplateService, 'render' | 'previewInline'>;
  brake: Pick<Brake, 'load' | 'forecast'>;
};

export function createBroadcastService(deps: BroadcastDeps): BroadcastService {
  const { pool, listReads, queue, clock } = deps;
  const check: BroadcastService['check'] = (...request) => checkBroadcast(deps, ...request);
  const start: BroadcastService['start'] = (tx, checked) => startBroadcast(tx, queue, checked);

  async function get({ environmentId }: Principal, id: string): Promise<Broadcast> {
    const row = await findBroadcast(pool, environmentId, id);
    if (!row) throw notFound('broadcast');
    return view(pool, row, clock());
  }

  async function change(...request: ChangeRequest): Promise<Broadcast> {
    const changed = await transaction(pool, async (tx) =>
      view(tx, await changeBroadcast(tx, ...request), clock()),
    );
    queue.ring('broadcast');
    queue.ring('wake');
    return changed;
  }

  return {
    async dryRun(principal, definition, now = clock()) {
      return dryRun(deps, principal, await checkDefinition(deps, principal, definition, now), now);
    },

    async create(caller, definition, idempotencyKey) {
      const { principal } = caller;
      const claim = await claimOf(deps, principal, definition, idempotencyKey);
      let checked: NewBroadcast;
      try {
        checked = await check(principal, definition);
      } catch (error) {
        // The template or the topic may be gone by now: a replay still gets the broadcast of the original request.
        const earlier = error instanceof Problem && claim ? await findEarlierHolder(pool, claim) : null;
        if (earlier === null) throw error;
        return { broadcast: await get(principal, earlier), replayed: true };
      }
      const holder = await transaction(pool, (tx) => write(tx, queue, caller, checked, claim));
      queue.ring('broadcast');
      return { broadcast: await get(principal, holder ?? checked.id), replayed: holder !== null };
    },

    check,
    start,

    async list({ id: callerId, environmentId }, query) {
      const list = `broadcasts:${environmentId}`;
      const page = pageRequest(list, query);
      return listReads.read(callerId, async (sql) => {
        const rows = await listBroadcasts(sql, environmentId, query.status, page);
        const { data, next_cursor } = pageOf(list, rows, page.limit);
        const changes = await listChanges(
          sql,
          data.map(({ id }) => id),
        );
        return { data: data.map((row) => viewOf(row, changes.get(row.id) ?? {}, clock())), next_cursor };
      });
    },

    get,

    pause(caller, id) {
      return change(caller, id, 'paused', async (_tx, row) => {
        refuseEnded(row);
        return row.status === 'paused' ? null : { ...pausedRow(row, null), epoch: row.epoch + 1 };
      });
    },

    resume(caller, id) {
      return change(caller, id, 'resumed', async (tx, row) => {
        refuseEnded(row);
        if (row.status !== 'paused') return null;
        const resumed = resumedRow(row, clock());
        await addFirstSlice(tx, queue, resumed);
        const options = { isUnpaced: true };
        await queue.wake(tx, 'notification', row.environment_id, broadcastWait(id), options);
        return resumed;
      });
    },

    cancel(caller, id) {
      return change(caller, id, 'cancelled', async (tx, row) => {
        if (row.status === 'cancelled') return null;
        refuseEnded(row);
        const cancelled = cancelledRow(row, clock());
        await addFirstSlice(tx, queue, cancelled);
        return cancelled;
      });
    },
  };
}

async function checkBroadcast(
  deps: BroadcastDeps,
  sender: Sender,
  definition: BroadcastDefinition,
  period?: LocalPeriod,
): Promise<NewBroadcast> {
  const checked = await checkDefinition(deps, sender, definition, deps.clock(), period);
  await checkConfirmed(deps.pool, sender.environmentId, definition.audience, checked.filter);
  deps.storage.check(sender);
  return checked;
}

type BroadcastKey = Omit<KeyClaim, 'resourceId'>;

async function claimOf(
  { tasks }: BroadcastDeps,
  { environmentId }: Sender,
  definition: BroadcastDefinition,
  key: string | null,
): Promise<BroadcastKey | null> {
  if (key === null) return null;
  const bodyHash = await bodyHashOf(tasks, environmentId, definition);
  return { environmentId, operation: 'broadcast', key: checkIdempotencyKey(key), bodyHash };
}

/** Returns the id of the broadcast that has the key already; null when this one was written. */
async function write(
  tx: Sql,
  queue: Deps['queue'],
  caller: Caller,
  checked: NewBroadcast,
  claim: BroadcastKey | null,
): Promise<string | null> {
  if (claim) {
    const keyClaim = { ...claim, resourceId: checked.id };
    if (!(await claimKey(tx, keyClaim))) return findKeyHolder(tx, keyClaim);
  }
  await startBroadcast(tx, queue, checked);
  await recordAudit(tx, caller, {
    action: 'broadcast.created',
    target: `broadcast:${checked.id}`,
    after: { name: checked.name, audience: checked.request.audience, channels: checked.channels },
  });
  return null;
}

async function startBroadcast(tx: Sql, queue: Deps['queue'], checked: NewBroadcast): Promise<void> {
  if ((await countOpenBroadcasts(tx, checked.environment_id)) >= broadcastLimits.open)
    throw new Problem(
      'broadcast_limit_reached',
      `An environment can have at most ${broadcastLimits.open} broadcasts that have not ended.`,
    );
  await addFirstSlice(tx, queue, await insertBroadcast(tx, checked));
}

async function view(sql: Sql, row: BroadcastRow, now: number): Promise<Broadcast> {
  return viewOf(row, (await listChanges(sql, [row.id])).get(row.id) ?? {}, now);
}

type ChangeRequest = [
  caller: Caller,
  id: string,
  action: 'paused' | 'resumed' | 'cancelled',
  next: (tx: Sql, row: BroadcastRow) => Promise<BroadcastRow | null>,
];

/** Changes the status under the lock that slices take, too. `next` returns null when nothing is to be changed. */
async function changeBroadcast(tx: Sql, ...[caller, id, action, next]: ChangeRequest): Promise<BroadcastRow> {
  const before = await lockBroadcast(tx, caller.principal.environmentId, id);
  if (!before) throw notFound('broadcast');
  const after = await next(tx, before);
  if (!after) return before;
  await updateBroadcast(tx, after);
  await recordAudit(tx, caller, {
    action: `broadcast.${action}`,
    target: `broadcast:${id}`,
    before: { status: before.status },
    after: { status: after.status },
  });
  return after;
}

function resumedRow(row: BroadcastRow, now: number): BroadcastRow {
  return {
    ...row,
    status: row.paused_from ?? 'running',
    paused_from: null,
    pause_reason: null,
    epoch: row.epoch + 1,
    next_slice_at: null,
    measured_at: row.measured_at && new Date(now),
    measured_done: doneOf(row),
  };
}

function cancelledRow(row: BroadcastRow, now: number): BroadcastRow {
  return {
    ...row,
    status: 'cancelled',
    paused_from: null,
    pause_reason: null,
    epoch: row.epoch + 1,
    cursor: null,
    completed_at: new Date(now),
  };
}

function refuseEnded({ status }: BroadcastRow): void {
  if (status === 'done' || status === 'cancelled')
    throw new Problem('broadcast_ended', `The broadcast is already ${status}.`);
}
