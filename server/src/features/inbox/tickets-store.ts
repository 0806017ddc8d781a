import { type Sql, statement } from '../../db/sql.ts';

interface Ticket {
  environmentId: string;
  externalUserId: string;
  /** The ticket is not valid longer than the token it was issued for. */
  tokenExpiresAt: Date;
}

const insert = statement(
  'inbox_tickets_insert',
  `insert into inbox_tickets (ticket_hash, environment_id, external_user_id, token_expires_at, expires_at)
   values ($1, $2, $3, $4, $5)`,
);

export async function insertTicket(sql: Sql, hash: Buffer, ticket: Ticket, expiresAt: Date): Promise<void> {
  await insert(sql, [hash, ticket.environmentId, ticket.externalUserId, ticket.tokenExpiresAt, expiresAt]);
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
