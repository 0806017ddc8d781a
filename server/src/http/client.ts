import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The origin of a request, in the form that the audit log keeps. */
export interface Client {
  /** Null when a trusted proxy forwarded something that is not an address. */
  ipAddress: string | null;
  userAgent: string | null;
}

const longestUserAgent = 300;

export function clientOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Client {
  const userAgent = headers['user-agent'];
  return {
    ipAddress: isIP(ip) ? ip : null,
    // Browsers send only printable ASCII; anything else could only confuse a terminal or a page that shows it.
    userAgent: userAgent ? userAgent.slice(0, longestUserAgent).replaceAll(/[^\x20-\x7e]/g, '?') : null,
  };
}
