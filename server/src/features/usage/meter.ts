import type { Channel } from '../../channels/contract.ts';
import type { Sql } from '../../db/sql.ts';
import type { Plan } from '../../http/principal.ts';
import { Problem } from '../../kernel/errors.ts';
import { monthOf, nextMonth } from './month.ts';
import { planTerms } from './plans.ts';
import { listCounts, lockOrganizations } from './store.ts';

/** A send on its way into the database, as far as the plan is concerned. Test sends are none. */
export interface MeteredSend {
  id: string;
  organizationId: string;
  plan: Plan;
  channel: Channel;
  /** When it was accepted. */
  at: number;
}

export function hasLimit({ plan }: MeteredSend): boolean {
  return planTerms[plan].hardLimit;
}

/** From here to the end of the transaction nobody else decides whether a send of these organizations fits into its plan. */
export async function lockPlans(tx: Sql, sends: MeteredSend[]): Promise<void> {
  await lockOrganizations(tx, organizationsOf(sends.filter(hasLimit)));
}

/**
 * Which of the sends do not fit into their plan any more, first come, first served. Exact however many processes accept at
 * once, after `lockPlans`: they take turns for an organization with a limit, and count what the one before has committed.
 */
export async function refuseBeyondPlan(tx: Sql, sends: MeteredSend[]): Promise<Map<string, Problem>> {
  const refused = new Map<string, Problem>();
  const limited = sends.filter(hasLimit);
  if (limited.length === 0) return refused;

  const organizations = organizationsOf(limited);
  const months = [...new Set(limited.map(({ at }) => monthOf(at)))];
  const used = new Map<string, number>();
  for (const { organizationId, month, sends: counted } of await listCounts(tx, organizations, months)) {
    const account = `${organizationId} ${month}`;
    used.set(account, (used.get(account) ?? 0) + counted);
  }
  for (const send of limited) {
    const account = `${send.organizationId} ${monthOf(send.at)}`;
    const before = used.get(account) ?? 0;
    if (before >= (planTerms[send.plan].includedSends ?? Infinity))
      refused.set(send.id, beyondPlan(send.plan, send.at));
    else used.set(account, before + 1);
  }
  return refused;
}

function organizationsOf(sends: MeteredSend[]): string[] {
  return [...new Set(sends.map(({ organizationId }) => organizationId))];
}

function beyondPlan(plan: Plan, at: number): Problem {
  const { includedSends } = planTerms[plan];
  return new Problem(
    'plan_limit_reached',
    `The ${includedSends?.toLocaleString('en')} sends that the plan ${plan} includes are used up until ${nextMonth(monthOf(at))}.`,
  );
}
