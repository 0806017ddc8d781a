import type { Channel } from '../../../channels/contract.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Plan } from '../../../http/principal.ts';
import { Problem } from '../../../kernel/errors.ts';
import { listPlanUse, lockPlanAccounts } from './store.ts';

interface PlanTerms {
  /** Sends per month; null when unlimited. */
  includedSends: number | null;
  /** True when sends beyond the included ones are refused. */
  hardLimit: boolean;
}

export const planTerms: Record<Plan, PlanTerms> = {
  free: { includedSends: 10_000, hardLimit: true },
  pro: { includedSends: null, hardLimit: false },
  scale: { includedSends: null, hardLimit: false },
  unmetered: { includedSends: null, hardLimit: false },
};

/** The fields of a send that the plan limit needs. Test sends are not metered. */
export interface MeteredSend {
  id: string;
  organizationId: string;
  plan: Plan;
  channel: Channel;
  /** When the send was accepted. */
  at: number;
}

export function hasLimit({ plan }: MeteredSend): boolean {
  return planTerms[plan].hardLimit;
}

/**
 * Until the transaction ends, no other transaction decides whether a send of these organizations, or of others of the same
 * owner, fits the plan.
 */
export async function lockPlans(tx: Sql, sends: MeteredSend[]): Promise<void> {
  await lockPlanAccounts(tx, organizationsOf(sends.filter(hasLimit)));
}

/**
 * Returns the sends that exceed their plan, first come, first served. The organizations of one owner share a plan; otherwise
 * another organization would be another plan. The count is exact for any number of processes after `lockPlans`: each counts
 * what the one before has committed.
 */
export async function refuseBeyondPlan(tx: Sql, sends: MeteredSend[]): Promise<Map<string, Problem>> {
  const refused = new Map<string, Problem>();
  const limited = sends.filter(hasLimit);
  if (limited.length === 0) return refused;

  const months = [...new Set(limited.map(({ at }) => monthOf(at)))];
  const accounts = new Map<string, string>();
  const used = new Map<string, number>();
  for (const use of await listPlanUse(tx, organizationsOf(limited), months)) {
    accounts.set(use.organizationId, use.accountId);
    used.set(`${use.accountId} ${use.month}`, use.sends);
  }
  for (const send of limited) {
    const account = `${accounts.get(send.organizationId)} ${monthOf(send.at)}`;
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
    `The ${includedSends?.toLocaleString('en')} sends of the plan ${plan} are used up until ${nextMonth(monthOf(at))}.`,
  );
}

/** The calendar month (UTC) of a moment, by its first day: `2026-02-01`. */
export function monthOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 7)}-01`;
}

export function nextMonth(month: string): string {
  const first = new Date(month);
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
}
