import { Type } from 'typebox';
import type { Deps } from '../../deps.ts';
import { type Route, route } from '../../http/route.ts';
import { positionOf } from './frames.ts';
import type { LiveInbox } from './live.ts';
import { issueTicket, ticketSeconds } from './recipients.ts';
import { StreamQuery, StreamTicket } from './schema.ts';

const tag = 'Inbox';
const access = 'recipient:inbox';
/** The client reopens a stream that ends, and presents its token again. */
const longestMs = 3_600_000;

const description = `Server-Sent Events. Read them with \`fetch\` and the Authorization header; for \`EventSource\`, which cannot send one, get a ticket first.

| event | data |
|---|---|
| \`notification.arrived\` | the item |
| \`notification.read\` | \`{id, read_at}\` |
| \`notification.unread\`, \`notification.archived\`, \`notification.snoozed\`, \`notification.deleted\` | \`{id}\` |
| \`notification.returned\` | the item, unread again: its snooze has ended |
| \`notification.acted\` | \`{id, action_taken, read_at}\` |
| \`unread_count.changed\` | \`{unread_count}\`; also the first event of a new stream; in a resumed stream it follows the missed events, or \`reset\` replaces both |
| \`reset\` | \`{unread_count}\`; too many changes to replay: reload the feed |

Each event has an id of its own, an opaque text. A client that reconnects with the last id, in \`Last-Event-ID\` or \`last_event_id\`, gets the missed events, once each; after an hour, or a thousand events, it gets \`reset\`. A comment every 15 seconds keeps the connection open. The stream ends when the token expires, and after an hour at the latest; clients that read too slowly are disconnected and can reconnect.`;

export function streamRoutes(deps: Pick<Deps, 'pool' | 'clock'> & { liveInbox: LiveInbox }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/inbox/v1/stream',
      operation: 'streamInbox',
      tag,
      summary: 'Stream the changes of an inbox',
      description,
      access,
      ticket: true,
      query: StreamQuery,
      headers: {
        'Last-Event-ID': {
          description: 'The id of the last event seen.',
          schema: Type.String({ maxLength: 100 }),
        },
      },
      responses: { 200: Type.String({ contentMediaType: 'text/event-stream' }) },
      errors: ['rate_limited'],
      handler({ principal, query, raw }) {
        // The header wins: EventSource keeps its original URL, and sends its position in the header.
        const header = raw.headers['last-event-id'];
        const lastId = typeof header === 'string' && header !== '' ? header : query.last_event_id;
        return {
          status: 200,
          stream: {
            environmentId: principal.environmentId,
            endsAtMs: Math.min(principal.expiresAtMs, deps.clock() + longestMs),
            start: deps.liveInbox.open(principal, lastId ? positionOf(lastId) : null),
          },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/inbox/v1/stream/tickets',
      operation: 'createStreamTicket',
      tag,
      summary: 'Get a ticket for a stream',
      description: 'Opens one stream, once, within 30 seconds: `GET /inbox/v1/stream?ticket=`.',
      access,
      responses: { 201: StreamTicket },
      async handler({ principal }) {
        return {
          status: 201,
          body: { ticket: await issueTicket(deps, principal), expires_in: ticketSeconds },
        };
      },
    }),
  ];
}
