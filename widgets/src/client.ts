import { createInboxClient, type InboxClient } from '@carillon/sdk/inbox';
import type { Tokens } from './tokens.ts';

export interface Client extends InboxClient {
  /**
   * The clock of the service minus ours: device clocks can be hours off, and "in 3 hours" is not the age of a
   * notification.
   */
  skewMs(): number;
}

export function createClient(url: string, tokens: Tokens): Client {
  let skew = 0;
  const client = createInboxClient({
    base_url: url,
    token: tokens.get,
    timeout_ms: 20_000,
    // A person is waiting: fail early.
    max_retries: 1,
    async fetch(input, init) {
      const response = await fetch(input, { ...init, credentials: 'omit', cache: 'no-store' });
      const off = Date.parse(response.headers.get('date') ?? '') - Date.now();
      if (!Number.isNaN(off)) skew = Math.abs(off) > 5_000 ? off : 0;
      return response;
    },
  });
  return { ...client, skewMs: () => skew };
}
