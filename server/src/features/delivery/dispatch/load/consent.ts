import type { Pool } from '../../../../db/sql.ts';
import { type Consent, findConsents, preferenceUserOf } from '../../../people/preferences/index.ts';
import { findSuppressed, type SuppressionRow } from '../../../people/suppressions/index.ts';
import type { LinkKey, UnsubscribeLinks } from '../../../people/unsubscribe/index.ts';
import type { DispatchFact } from '../store.ts';

/** A notification with the known preferences of its recipient. */
export interface ConsentFact extends DispatchFact {
  suppression: SuppressionRow | null;
  /** Null when the notification names no category. */
  consent: Consent | null;
  /** The key of the link that stops email of this category; null when there is nothing to stop. */
  unsubscribeKey: LinkKey | null;
}

/**
 * Loads consent for a whole batch with as many queries as for one notification. The rows are extended in place: a copy of a row
 * with thirty fields takes 7 µs, which is several percent of a send.
 */
export async function addConsent<Fact extends DispatchFact>(
  pool: Pool,
  links: UnsubscribeLinks,
  facts: Fact[],
): Promise<(Fact & ConsentFact)[]> {
  const [suppressed, consents] = await Promise.all([findSuppressed(pool, facts), findConsents(pool, facts)]);
  const stoppable = facts.filter(
    ({ id, channel }) => channel === 'email' && consents.get(id)?.isCritical === false,
  );
  const keys = await links.keysFor([...new Set(stoppable.map((fact) => fact.environment_id))]);
  const keyOf = new Map(stoppable.map((fact) => [fact.id, keys.get(fact.environment_id) ?? null]));
  return facts.map((fact) =>
    Object.assign(fact, {
      suppression: suppressed.get(fact.id) ?? null,
      consent: consents.get(fact.id) ?? null,
      unsubscribeKey: keyOf.get(fact.id) ?? null,
    }),
  );
}

/** The unsubscribe link of category email; null for everything that no link can stop. */
export function unsubscribeUrlOf(links: UnsubscribeLinks, fact: ConsentFact): string | null {
  const user = preferenceUserOf(fact);
  if (!fact.unsubscribeKey || !fact.category || !user) return null;
  return links.urlOf(fact.unsubscribeKey, { user, category: fact.category });
}

/**
 * Templates and rendered content of category email can show the link too (bulk senders must, and recipients do not see a header),
 * and the link to all preferences of the recipient. Values of the sender with the same names win.
 */
export function withLinks<Fact extends DispatchFact>(
  links: UnsubscribeLinks,
  fact: Fact,
  known: ConsentFact | null,
  unsubscribeUrl: string | null,
): Fact {
  const user = known && preferenceUserOf(known);
  const isTemplate = fact.template_key !== null || fact.inline_format === 'liquid';
  if (!known?.unsubscribeKey || !user || unsubscribeUrl === null || !isTemplate) return fact;
  const template_data = {
    unsubscribe_url: unsubscribeUrl,
    preferences_url: links.preferencesUrlOf(known.unsubscribeKey, user),
    ...fact.template_data,
  };
  return { ...fact, template_data };
}
