import type { Sql } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import type { AudienceMember } from '../../people/audiences/index.ts';
import { type Consent, findConsents } from '../../people/preferences/index.ts';
import { findSuppressed, type SuppressionRow } from '../../people/suppressions/index.ts';
import { addressFields } from '../../people/users/index.ts';
import type { BroadcastChannel } from './schema.ts';

/** A user of the audience, with the channel and address that the broadcast goes to. */
export interface BroadcastRecipient {
  /** The id of the notification. */
  id: string;
  environment_id: string;
  external_user_id: string;
  channel: BroadcastChannel;
  address: string;
  category: string | null;
  member: AudienceMember;
}

/** The fields of a broadcast that decide how a user is reached. */
interface BroadcastTarget {
  environment_id: string;
  channels: readonly BroadcastChannel[];
  category: string | null;
}

/**
 * Chooses the first channel with an address that is not suppressed and that the user has not opted out of. If there is none, it is
 * the first one with an address: the notification is suppressed at the send, with its reason. Members without any address are
 * left out. Consent is read only where there is a choice, with two queries for all members.
 */
export async function chooseRecipients(
  sql: Sql,
  target: BroadcastTarget,
  members: readonly AudienceMember[],
  now: number,
): Promise<BroadcastRecipient[]> {
  const choices = members.map((member) => candidatesOf(target, member, now));
  const consentOf = await findConsent(sql, choices.filter((candidates) => candidates.length > 1).flat());
  const isWanted = (candidate: BroadcastRecipient): boolean => {
    const { suppression, consent } = consentOf(candidate);
    return !suppression && (!consent || consent.isCritical || consent.optedIn);
  };
  return choices.flatMap((candidates) => candidates.find(isWanted) ?? candidates[0] ?? []);
}

function candidatesOf(
  { environment_id, channels, category }: BroadcastTarget,
  member: AudienceMember,
  now: number,
): BroadcastRecipient[] {
  const { external_user_id } = member;
  return channels.flatMap((channel) => {
    const address = channel === 'in_app' ? external_user_id : member[addressFields[channel]];
    if (!address) return [];
    return [{ id: newId(now), environment_id, external_user_id, channel, address, category, member }];
  });
}

/** What is known of a recipient's wishes before the send, which reads them again. */
interface RecipientConsent {
  suppression: SuppressionRow | null;
  consent: Consent | null;
}

export async function findConsent(
  sql: Sql,
  recipients: BroadcastRecipient[],
): Promise<(recipient: BroadcastRecipient) => RecipientConsent> {
  const [suppressed, consents] = await Promise.all([
    findSuppressed(sql, recipients),
    findConsents(sql, recipients),
  ]);
  return ({ id }) => ({ suppression: suppressed.get(id) ?? null, consent: consents.get(id) ?? null });
}

/** The data about the recipient that templates get beside the data of the broadcast. */
export function userDataOf({ member }: BroadcastRecipient): object {
  const { external_user_id, name, locale, timezone, attributes } = member;
  return { external_user_id, name, locale, timezone, attributes };
}
