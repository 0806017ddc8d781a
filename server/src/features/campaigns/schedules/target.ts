import type { Sql } from '../../../db/sql.ts';
import type { JsonObject } from '../../../engine/index.ts';
import type { Principal } from '../../../http/principal.ts';
import type { Scope } from '../../../http/scopes.ts';
import { invalidParameter, missingParameter, Problem } from '../../../kernel/errors.ts';
import { findWorkflow } from '../../workflows/workflows/index.ts';
import type { BroadcastService } from '../broadcasts/index.ts';
import { checkAudience } from './members.ts';
import {
  broadcastTimes,
  ScheduleAudience,
  ScheduleBroadcast,
  type ScheduleTarget,
  scheduleLimits,
} from './schema.ts';

/** What a schedule starts, checked. */
export type StartTarget = ScheduledWorkflow | ScheduledBroadcast;

export interface ScheduledWorkflow {
  kind: 'workflow';
  workflow_key: string;
  trigger_data: JsonObject;
  audience: ScheduleAudience | null;
}

export interface ScheduledBroadcast {
  kind: 'broadcast';
  broadcast: ScheduleBroadcast;
}

interface TargetDeps {
  pool: Sql;
  broadcasts: Pick<BroadcastService, 'check'>;
}

/** Makes every check that is possible before a slot. Throws a Problem that names the field. */
export async function checkTarget(
  deps: TargetDeps,
  principal: Principal,
  target: ScheduleTarget,
  perRecipient: boolean,
): Promise<StartTarget> {
  requireTargetScope(principal, target);
  for (const field of target.kind === 'workflow' ? broadcastOnly : workflowOnly)
    if (target[field] != null)
      throw invalidParameter(`target.${field}`, `A target of the kind ${target.kind} has no ${field}.`);
  if (target.kind === 'broadcast') return checkBroadcast(deps, principal, target.broadcast ?? null);
  const checked = await checkWorkflow(deps, principal, target);
  if (perRecipient && !checked.audience)
    throw invalidParameter('per_recipient_timezone', 'per_recipient_timezone needs an audience.');
  return checked;
}

const workflowOnly = ['workflow_key', 'trigger_data', 'audience'] as const;
const broadcastOnly = ['broadcast'] as const;

async function checkWorkflow(
  { pool }: TargetDeps,
  { environmentId }: Principal,
  target: ScheduleTarget,
): Promise<ScheduledWorkflow> {
  const { workflow_key: key, trigger_data, audience } = target;
  if (!key) throw missingParameter('target.workflow_key');
  const triggerData: JsonObject = trigger_data ?? {};
  checkLength('target.trigger_data', triggerData, scheduleLimits.triggerData);
  if (audience) await inField('target', () => checkAudience(pool, environmentId, audience));
  if (!(await findWorkflow(pool, environmentId, key)))
    throw invalidParameter('target.workflow_key', `There is no workflow “${key}”.`);
  return {
    kind: 'workflow',
    workflow_key: key,
    trigger_data: triggerData,
    audience: audience ? givenFields(ScheduleAudience, audience) : null,
  };
}

async function checkBroadcast(
  { broadcasts }: TargetDeps,
  principal: Principal,
  given: ScheduleBroadcast | null,
): Promise<ScheduledBroadcast> {
  const param = 'target.broadcast';
  if (!given) throw missingParameter(param);
  const time = broadcastTimes.find((field) => (given as Record<string, unknown>)[field] != null);
  if (time)
    throw invalidParameter(`${param}.${time}`, `The schedule decides when it is sent: leave ${time} out.`);
  const broadcast = givenFields(ScheduleBroadcast, given);
  checkLength(param, broadcast, scheduleLimits.broadcast);
  await inField(param, () => broadcasts.check(principal, broadcast));
  return { kind: 'broadcast', broadcast };
}

const scopeToStart = { workflow: 'workflows:trigger', broadcast: 'broadcasts:write' } as const;

/** A schedule gives no right to send that its caller does not have. */
export function requireTargetScope(principal: Principal, { kind }: Pick<ScheduleTarget, 'kind'>): void {
  requireScope(principal, kind, scopeToStart[kind]);
}

export function requireScope({ scopes }: Principal, kind: ScheduleTarget['kind'], scope: Scope): void {
  if (!scopes.has(scope))
    throw new Problem(
      'insufficient_scope',
      `The schedule starts a ${kind}: this requires the scope ${scope}, too.`,
    );
}

function checkLength(param: string, value: object, max: number): void {
  if (JSON.stringify(value).length > max)
    throw invalidParameter(param, `${param} must have at most ${max} characters as JSON.`);
}

/** Names the field of the schedule in the problems of a check that knows only what is inside of the field. */
async function inField<Result>(field: string, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    throw error instanceof Problem && error.param !== null ? error.inside(field) : error;
  }
}

/** The fields of the schema that have a value, in the order of the author. */
function givenFields<Value extends object>({ properties }: { properties: object }, value: Value): Value {
  const given = Object.entries(value).filter(([name, each]) => name in properties && each != null);
  return Object.fromEntries(given) as Value;
}
