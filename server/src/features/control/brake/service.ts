import { lockEnvironment } from '../../../db/locks.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { recordEvents } from '../../webhooks/index.ts';
import { listEngagements } from './engagements.ts';
import { freezeHold, holdPrefix, waitName } from './hold.ts';
import type { Holds } from './holds.ts';
import { checkMatch, ruleOf } from './rule-input.ts';
import { type DefaultRules, withDefaults } from './rules.ts';
import {
  type BrakeStatus,
  brakeLimits,
  type FreezeInput,
  type FreezeResponse,
  type ReleaseInput,
  type ReleaseResponse,
  type RuleInput,
  type RuleResponse,
} from './schema.ts';
import type { BrakeStates } from './state.ts';
import {
  deleteFreeze,
  deleteRule,
  findRelease,
  insertFreeze,
  insertRelease,
  listFreezes,
  listReleases,
  listRules,
  listRunningReleases,
  lockRelease,
  type ReleaseRow,
  updateRelease,
  upsertRule,
} from './store.ts';
import { freezeView, releaseView, ruleView } from './view.ts';

export interface BrakeService {
  status(principal: Principal): Promise<BrakeStatus>;
  listRules(principal: Principal): Promise<RuleResponse[]>;
  getRule(principal: Principal, key: string): Promise<RuleResponse>;
  /** `isNew` is false when a rule with this key was replaced; a default rule counts as new. */
  putRule(caller: Caller, key: string, input: RuleInput): Promise<{ rule: RuleResponse; isNew: boolean }>;
  deleteRule(caller: Caller, key: string): Promise<void>;
  /** `isNew` is false when the channel was frozen already; the freeze stays as it is. */
  freeze(caller: Caller, input: FreezeInput): Promise<{ freeze: FreezeResponse; isNew: boolean }>;
  /** Resolves to the release of what the freeze held. */
  unfreeze(caller: Caller, channel: string | null): Promise<ReleaseResponse>;
  release(caller: Caller, hold: string, input: ReleaseInput): Promise<ReleaseResponse>;
  listReleases(
    principal: Principal,
    query: { cursor?: string; limit?: number },
  ): Promise<Page<ReleaseResponse>>;
  getRelease(principal: Principal, id: string): Promise<ReleaseResponse>;
  /** Stops a release where it is; what it has released stays released. */
  stopRelease(caller: Caller, id: string): Promise<ReleaseResponse>;
}

const defaultFreezeHours = 168;
const everything = 2_000_000_000;

interface BrakeServiceDeps extends Pick<Deps, 'pool' | 'queue'> {
  states: BrakeStates;
  holds: Holds;
  defaults: DefaultRules;
}

export function createBrakeService(deps: BrakeServiceDeps): BrakeService {
  return {
    status: ({ environmentId }) => statusOf(deps, environmentId),

    listRules: (principal) => allRules(deps, principal),

    async getRule(principal, key) {
      const rule = (await allRules(deps, principal)).find((each) => each.key === key);
      if (!rule) throw notFound('rule');
      return rule;
    },

    putRule: (caller, key, input) => putRule(deps, caller, key, input),

    deleteRule: (caller, key) => removeRule(deps, caller, key),

    freeze: (caller, input) => freeze(deps, caller, input),

    unfreeze: (caller, channel) => unfreeze(deps, caller, channel),

    release: (caller, hold, input) => release(deps, caller, hold, input),

    async listReleases({ environmentId }, query) {
      const list = `brake_releases:${environmentId}`;
      const page = pageRequest(list, query);
      const { data, next_cursor } = pageOf(
        list,
        await listReleases(deps.pool, environmentId, page),
        page.limit,
      );
      return { data: data.map(releaseView), next_cursor };
    },

    getRelease: ({ environmentId }, id) => releaseOf(deps, environmentId, id),

    stopRelease: (caller, id) => stopRelease(deps, caller, id),
  };
}

async function statusOf({ pool, holds }: BrakeServiceDeps, environmentId: string): Promise<BrakeStatus> {
  const [freezes, engaged, held, releases] = await Promise.all([
    listFreezes(pool, [environmentId]),
    listEngagements(pool, environmentId),
    holds.counts(environmentId),
    listReleases(pool, environmentId, { before: null, limit: 100 }),
  ]);
  return {
    freezes: freezes.map(freezeView),
    engaged: engaged.map(({ rule, detail, engaged_at, last_at }) => ({
      ...{ rule, detail },
      engaged_at: engaged_at.toISOString(),
      last_at: last_at.toISOString(),
    })),
    held: held.map(({ hold, count, is_capped }) => ({ hold, count, is_capped })),
    releases: releases.filter(({ status }) => status === 'running').map(releaseView),
  };
}

async function putRule(
  { pool, states }: BrakeServiceDeps,
  caller: Caller,
  key: string,
  input: RuleInput,
): Promise<{ rule: RuleResponse; isNew: boolean }> {
  const { environmentId } = caller.principal;
  const rule = ruleOf(key, input);
  await checkMatch(pool, environmentId, rule.match);
  const result = await transaction(pool, async (tx) => {
    await lockEnvironment(tx, environmentId);
    const stored = await listRules(tx, environmentId);
    const before = stored.find((each) => each.key === key) ?? null;
    if (!before && stored.length >= brakeLimits.rules)
      throw new Problem('brake_limit_reached', `An environment can have at most ${brakeLimits.rules} rules.`);
    const after = await upsertRule(tx, { ...rule, id: newId(), environment_id: environmentId });
    await recordAudit(tx, caller, {
      action: before ? 'brake_rule.updated' : 'brake_rule.created',
      target: `brake_rule:${key}`,
      before: before && ruleView(before),
      after: ruleView(after),
    });
    return { rule: ruleView(after), isNew: before === null };
  });
  await states.changed();
  return result;
}

async function removeRule(
  { pool, states, defaults }: BrakeServiceDeps,
  caller: Caller,
  key: string,
): Promise<void> {
  const { principal } = caller;
  const { environmentId } = principal;
  await transaction(pool, async (tx) => {
    await lockEnvironment(tx, environmentId);
    const before = (await listRules(tx, environmentId)).find((each) => each.key === key);
    const isDefault = defaults(principal.environmentKind).some((rule) => rule.key === key);
    if (!before) throw isDefault ? defaultRuleProblem(key) : notFound('rule');
    await deleteRule(tx, environmentId, key);
    await recordAudit(tx, caller, {
      action: 'brake_rule.deleted',
      target: `brake_rule:${key}`,
      before: ruleView(before),
    });
  });
  await states.changed();
}

async function freeze(
  { pool, queue, states }: BrakeServiceDeps,
  caller: Caller,
  input: FreezeInput,
): Promise<{ freeze: FreezeResponse; isNew: boolean }> {
  const { principal } = caller;
  const { environmentId } = principal;
  const channel = input.channel ?? 'all';
  const { frozen, isReported } = await transaction(pool, async (tx) => {
    await lockEnvironment(tx, environmentId);
    const added = await insertFreeze(tx, {
      environment_id: environmentId,
      channel,
      reason: input.reason || null,
      hold_expires_hours: input.hold_expires_hours ?? defaultFreezeHours,
      frozen_by: principal.userId,
    });
    if (!added) return { frozen: null, isReported: false };
    const data = { environment_id: environmentId, ...freezeView(added) };
    await recordAudit(tx, caller, {
      action: 'brake.frozen',
      target: `freeze:${channel}`,
      after: freezeView(added),
    });
    const events = await recordEvents(tx, queue, [{ environmentId, type: 'brake.frozen', data }]);
    return { frozen: added, isReported: events.length > 0 };
  });
  await states.changed();
  if (isReported) queue.ring('webhook_delivery');
  const row = frozen ?? (await listFreezes(pool, [environmentId])).find((each) => each.channel === channel);
  if (!row)
    throw new Problem('temporarily_unavailable', 'The channel was unfrozen at the same time. Try again.');
  return { freeze: freezeView(row), isNew: frozen !== null };
}

async function unfreeze(
  { pool, queue, states }: BrakeServiceDeps,
  caller: Caller,
  given: string | null,
): Promise<ReleaseResponse> {
  const { environmentId } = caller.principal;
  const channel = given ?? 'all';
  const { release, isReported } = await transaction(pool, async (tx) => {
    await lockEnvironment(tx, environmentId);
    checkNotCancelling(await listRunningReleases(tx, environmentId), freezeHold(channel));
    const removed = await deleteFreeze(tx, environmentId, channel);
    if (!removed) throw new Problem('resource_not_found', 'This is not frozen.');
    const release = await beginRelease(tx, queue, environmentId, freezeHold(channel), { action: 'release' });
    await recordAudit(tx, caller, {
      action: 'brake.unfrozen',
      target: `freeze:${channel}`,
      before: freezeView(removed),
      after: { release_id: release.id, held: release.total },
    });
    const data = { environment_id: environmentId, ...freezeView(removed), held: release.total };
    const events = await recordEvents(tx, queue, [{ environmentId, type: 'brake.unfrozen', data }]);
    return { release, isReported: events.length > 0 };
  });
  await states.changed();
  queue.ring('brake_release');
  if (isReported) queue.ring('webhook_delivery');
  return releaseView(release);
}

async function release(
  { pool, queue }: BrakeServiceDeps,
  caller: Caller,
  hold: string,
  input: ReleaseInput,
): Promise<ReleaseResponse> {
  const { environmentId } = caller.principal;
  const release = await transaction(pool, async (tx) => {
    await lockEnvironment(tx, environmentId);
    if (input.action === 'release' && (await isFrozenHold(tx, environmentId, hold)))
      throw new Problem('brake_frozen', 'It is frozen: unfreeze it, and what it held is released.');
    const running = await listRunningReleases(tx, environmentId);
    if (input.action === 'release') checkNotCancelling(running, hold);
    if (running.length >= brakeLimits.runningReleases)
      throw new Problem(
        'brake_limit_reached',
        `At most ${brakeLimits.runningReleases} releases of an environment run at the same time.`,
      );
    const row = await beginRelease(tx, queue, environmentId, hold, input);
    if (row.total === 0) throw new Problem('resource_not_found', 'Nothing is held under this name.');
    await recordAudit(tx, caller, {
      action: input.action === 'release' ? 'brake.hold_released' : 'brake.hold_cancelled',
      target: `${holdPrefix}${hold}`,
      after: { release_id: row.id, count: row.total },
    });
    return row;
  });
  queue.ring('brake_release');
  return releaseView(release);
}

async function stopRelease(deps: BrakeServiceDeps, caller: Caller, id: string): Promise<ReleaseResponse> {
  const { environmentId } = caller.principal;
  await transaction(deps.pool, async (tx) => {
    const row = await lockRelease(tx, id);
    if (row?.environment_id !== environmentId) throw notFound('release');
    if (row.status !== 'running') return;
    await updateRelease(tx, { ...row, status: 'cancelled' });
    await recordAudit(tx, caller, {
      action: 'brake.release_stopped',
      target: `brake_release:${id}`,
      before: { status: row.status, done: row.done },
      after: { status: 'cancelled' },
    });
  });
  return releaseOf(deps, environmentId, id);
}

async function releaseOf(
  { pool }: BrakeServiceDeps,
  environmentId: string,
  id: string,
): Promise<ReleaseResponse> {
  const row = await findRelease(pool, environmentId, id);
  if (!row) throw notFound('release');
  return releaseView(row);
}

/** Writes the release and its work, in the transaction of the decision. */
async function beginRelease(
  tx: Sql,
  queue: Deps['queue'],
  environmentId: string,
  hold: string,
  { action, limit = everything }: ReleaseInput,
): Promise<ReleaseRow> {
  const counts = await queue.countWaitingFor(tx, 'notification', environmentId, waitName(hold), everything);
  const held = counts.find(({ name }) => name === waitName(hold))?.count ?? 0;
  const row = { id: newId(), environment_id: environmentId, hold, action, total: Math.min(held, limit) };
  const release = await insertRelease(tx, row);
  await queue.enqueue(tx, [{ kind: 'brake_release', id: row.id, lane: 'normal', environmentId }]);
  return release;
}

async function allRules({ pool, defaults }: BrakeServiceDeps, principal: Principal): Promise<RuleResponse[]> {
  const stored = await listRules(pool, principal.environmentId);
  return withDefaults(stored, defaults(principal.environmentKind)).map(ruleView);
}

/** A release would send the part of the hold that the cancellation has not come to yet. */
function checkNotCancelling(running: ReleaseRow[], hold: string): void {
  const cancel = running.find((each) => each.hold === hold && each.action === 'cancel');
  if (cancel)
    throw new Problem(
      'brake_cancelling',
      `What ${hold} holds is being cancelled by the release ${cancel.id}. Wait until it is done, or stop it first.`,
    );
}

async function isFrozenHold(tx: Sql, environmentId: string, hold: string): Promise<boolean> {
  return (await listFreezes(tx, [environmentId])).some(({ channel }) => freezeHold(channel) === hold);
}

function defaultRuleProblem(key: string): Problem {
  return new Problem(
    'brake_rule_default',
    `The rule ${key} is a default rule. To switch it off, save it with is_enabled: false.`,
  );
}
