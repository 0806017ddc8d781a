import { type Client, PermissionError, type SandboxEmail } from '@carillon/sdk';
import { type Check, checkOf, type Verdict } from './check.ts';
import type { Dns } from './dns.ts';

/** RFC 8058, as the emails of this environment really carry it: the last ones that the sandbox received. */
export async function checkOneClick(client: Client, dns: Dns): Promise<Check> {
  return checkOf('unsubscribe', 'one-click unsubscribe', await judge(client, dns));
}

async function judge(client: Client, dns: Dns): Promise<Verdict> {
  let headers: Record<string, string> | undefined;
  try {
    const { data } = await client.sandbox.listMessages({ channel: 'email', limit: 50 }).page();
    headers = data
      .map(({ payload }) => (payload as SandboxEmail).headers)
      .find((each) => each?.['List-Unsubscribe'] !== undefined);
  } catch (error) {
    if (!(error instanceof PermissionError)) throw error;
    return { status: 'skip', detail: 'this key lacks the scope notifications:read' };
  }
  if (!headers)
    return {
      status: 'skip',
      detail: 'no email with a category in the sandbox yet',
      advice: 'Send one with a Test key (carillon send --category …), then run this again.',
    };
  const [, url = ''] = /<(https?:[^>]+)>/.exec(headers['List-Unsubscribe'] ?? '') ?? [];
  if (headers['List-Unsubscribe-Post'] !== 'List-Unsubscribe=One-Click' || !URL.canParse(url))
    return { status: 'fail', detail: 'the headers do not follow RFC 8058' };
  const { protocol, hostname, origin } = new URL(url);
  if (protocol !== 'https:')
    return {
      status: 'fail',
      detail: `links point to ${origin}; mailbox providers require https`,
      advice: 'Set PUBLIC_URL of the service to a public https address.',
    };
  const answer = await dns.addresses(hostname);
  if ('records' in answer && answer.records.length === 0)
    return {
      status: 'fail',
      detail: `${hostname} does not exist in DNS`,
      advice: 'Set PUBLIC_URL to an existing host.',
    };
  return { status: 'ok', detail: `headers present, links point to ${origin}` };
}
