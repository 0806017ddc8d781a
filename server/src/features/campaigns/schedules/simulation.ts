import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { Problem } from '../../../kernel/errors.ts';
import { simulationView, type WorkflowService } from '../../workflows/workflows/index.ts';
import type { BroadcastService } from '../broadcasts/index.ts';
import { type Member, nextMembers, zoneOf } from './members.ts';
import type { ScheduleAudience, ScheduleSimulation, SimulationBody } from './schema.ts';
import { broadcastAt, memberData } from './start.ts';
import type { ScheduleRow } from './store.ts';
import { requireScope, type ScheduledBroadcast, type ScheduledWorkflow } from './target.ts';
import { nextRunViews } from './timing.ts';
import { timingIn } from './view.ts';

export type SimulationDeps = Pick<Deps, 'pool' | 'clock'> & {
  workflows: Pick<WorkflowService, 'simulate' | 'get'>;
  broadcasts: Pick<BroadcastService, 'check' | 'dryRun'>;
};

/** Shows what the next runs of a schedule would do. */
export function simulateSchedule(
  deps: SimulationDeps,
  principal: Principal,
  row: ScheduleRow,
  request: SimulationBody,
): Promise<ScheduleSimulation> {
  const { target } = row;
  return target.kind === 'workflow'
    ? simulateWorkflow(deps, principal, row, target, request)
    : simulateBroadcast(deps, principal, row, target, request);
}

async function simulateWorkflow(
  { pool, clock, workflows }: SimulationDeps,
  principal: Principal,
  row: ScheduleRow,
  { workflow_key: workflowKey, trigger_data: data, audience }: ScheduledWorkflow,
  request: SimulationBody,
): Promise<ScheduleSimulation> {
  const { workflow } = await workflows.get(principal, workflowKey);
  if (workflow.status !== 'active' || workflow.active_version === null)
    throw new Problem('workflow_not_active', `The workflow “${workflowKey}” has no active version.`);
  const wanted = request.external_user_id ?? null;
  const member = audience ? await simulatedMember(pool, principal.environmentId, audience, wanted) : null;
  const zone = member && zoneOf(member);
  const triggerData = memberData(data, member?.external_user_id ?? null);
  const timezone = (row.per_recipient_timezone ? zone : null) ?? row.timezone;
  const runs: ScheduleSimulation['runs'] = [];
  for (const run of nextRunViews(
    { ...timingIn(row), timezone },
    startOf(request, clock),
    request.runs ?? 3,
  )) {
    const simulated = await workflows.simulate(principal, workflowKey, workflow.active_version, {
      trigger_data: triggerData,
      now: run.at,
      recipient_timezone: zone,
    });
    runs.push({ ...run, trigger_data: triggerData, run: simulationView(simulated), broadcast: null });
  }
  return { runs };
}

/** A dry run as of each slot, of the users and preferences of today. */
async function simulateBroadcast(
  { clock, broadcasts }: SimulationDeps,
  principal: Principal,
  row: ScheduleRow,
  { broadcast }: ScheduledBroadcast,
  request: SimulationBody,
): Promise<ScheduleSimulation> {
  requireScope(principal, 'broadcast', 'broadcasts:read');
  const runs: ScheduleSimulation['runs'] = [];
  for (const run of nextRunViews(timingIn(row), startOf(request, clock), request.runs ?? 1)) {
    const definition = row.per_recipient_timezone
      ? broadcastAt(broadcast, run.local_time.slice(0, 16), row.timezone)
      : broadcast;
    const dryRun = await broadcasts.dryRun(principal, definition, Date.parse(run.at));
    runs.push({ ...run, trigger_data: null, run: null, broadcast: dryRun });
  }
  return { runs };
}

function startOf({ now }: SimulationBody, clock: () => number): number {
  return now ? Date.parse(now) : clock();
}

/** The member that was asked for, or the first one of the audience. */
async function simulatedMember(
  pool: Sql,
  environmentId: string,
  audience: ScheduleAudience,
  wanted: string | null,
): Promise<Member> {
  const users = wanted === null ? audience : { users: [wanted] };
  const { result } = await nextMembers(pool, environmentId, users, { after: null, limit: 1 });
  return result[0] ?? { external_user_id: wanted ?? 'user', timezone: null };
}
