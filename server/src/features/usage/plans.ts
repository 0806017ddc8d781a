import type { Plan } from '../../http/principal.ts';

export interface PlanTerms {
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
