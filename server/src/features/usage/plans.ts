import type { Plan } from '../../http/principal.ts';

export interface PlanTerms {
  /** Sends a month; null: as many as one likes. */
  includedSends: number | null;
  /** Beyond what is included nothing is accepted. */
  hardLimit: boolean;
}

export const planTerms: Record<Plan, PlanTerms> = {
  free: { includedSends: 10_000, hardLimit: true },
  pro: { includedSends: null, hardLimit: false },
  scale: { includedSends: null, hardLimit: false },
  unmetered: { includedSends: null, hardLimit: false },
};
