import { type Sql, statement } from '../../db/sql.ts';
import type { OrganizationMove } from '../../http/problem.ts';

/** Keys of an environment that currently verify tokens; the first one signs. */
export interface InboxKeyRow {
  id: string;
  organization_id: string;
  sealed_key: string;
  retires_at: Date | null;
  move: OrganizationMove['state'] | null;
  moved_to: string | null;
}

const findValid = statement<InboxKeyRow>(
  'inbox_keys_list',
  `select k.id, k.sealed_key, k.retires_at, e.organization_id, m.state as move, m.moved_to
   from inbox_keys k join environments e on e.id = k.environment_id
     left join organization_moves m on m.organization_id = e.organization_id
   where k.environment_id = $1 and (k.retires_at is null or k.retires_at > $2)
   order by k.retires_at desc nulls first`,
);

export function listKeys(sql: Sql, environmentId: string, now: Date): Promise<InboxKeyRow[]> {
  return findValid(sql, [environmentId, now]);
}

const insertKeyRow = statement(
  'inbox_keys_insert',
  'insert into inbox_keys (id, environment_id, sealed_key) values ($1, $2, $3)',
);

export async function insertKey(
  sql: Sql,
  key: { id: string; environmentId: string; sealedKey: string },
): Promise<void> {
  await insertKeyRow(sql, [key.id, key.environmentId, key.sealedKey]);
}

const retire = statement(
  'inbox_keys_retire',
  'update inbox_keys set retires_at = least(retires_at, $2) where environment_id = $1',
);

/** Limits the lifetime of all existing keys to this time. */
export async function markKeysRetiring(sql: Sql, environmentId: string, at: Date): Promise<void> {
  await retire(sql, [environmentId, at]);
}

const deleteRetired = statement('inbox_keys_delete_retired', 'delete from inbox_keys where retires_at < $1');

export async function deleteRetiredKeys(sql: Sql, now: Date): Promise<void> {
  await deleteRetired(sql, [now]);
}

interface Ticket {
  environmentId: string;
  externalUserId: string;
  /** The ticket is not valid longer than the token it was issued for. */
  tokenExpiresAt: Date;
}

const insertTicketRow = statement(
  'inbox_tickets_insert',
  `insert into inbox_tickets (ticket_hash, environment_id, external_user_id, token_expires_at, expires_at)
   values ($1, $2, $3, $4, $5)`,
);

export async function insertTicket(sql: Sql, hash: Buffer, ticket: Ticket, expiresAt: Date): Promise<void> {
  await insertTicketRow(sql, [
    hash,
    ticket.environmentId,
    ticket.externalUserId,
    ticket.tokenExpiresAt,
    expiresAt,
  ]);
}

const take = statement<{
  environment_id: string;
  organization_id: string;
  external_user_id: string;
  token_expires_at: Date;
}>(
  'inbox_tickets_take',
  `delete from inbox_tickets t using environments e
   where t.ticket_hash = $1 and t.expires_at > $2 and e.id = t.environment_id
   returning t.environment_id, e.organization_id, t.external_user_id, t.token_expires_at`,
);

/** A ticket is taken once: one of several concurrent uses, in any process, succeeds. */
export async function takeTicket(
  sql: Sql,
  hash: Buffer,
  now: Date,
): Promise<(Ticket & { organizationId: string }) | null> {
  const [row] = await take(sql, [hash, now]);
  return row
    ? {
        environmentId: row.environment_id,
        organizationId: row.organization_id,
        externalUserId: row.external_user_id,
        tokenExpiresAt: row.token_expires_at,
      }
    : null;
}

const deleteOld = statement(
  'inbox_tickets_delete_expired',
  'delete from inbox_tickets where expires_at < $1',
);

export async function deleteExpiredTickets(sql: Sql, now: Date): Promise<void> {
  await deleteOld(sql, [now]);
}
