import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Where a request came from, in the form that the audit log keeps. */
export interface Client {
  /** Null when a trusted proxy named something that is not an address. */
  ipAddress: string | null;
  userAgent: string | null;
}

const longestUserAgent = 300;

export function clientOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Client {
  const userAgent = headers['user-agent'];
  return {
    ipAddress: isIP(ip) ? ip : null,
    // Printable ASCII is all that browsers send; anything else could only confuse a terminal or a page that shows it.
    userAgent: userAgent ? userAgent.slice(0, longestUserAgent).replaceAll(/[^\x20-\x7e]/g, '?') : null,
  };
}
