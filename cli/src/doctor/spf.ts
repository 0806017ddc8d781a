import type { Verdict } from './check.ts';
import { type Dns, unasked } from './dns.ts';

/** What each provider asks its users to include. SES and resend use a MAIL FROM domain of their own unless set up otherwise. */
const includes: Record<string, string> = {
  ses: 'amazonses.com',
  resend: 'amazonses.com',
  sendgrid: 'sendgrid.net',
  postmark: 'spf.mtasv.net',
  mailgun: 'mailgun.org',
};

const mostLookups = 10;

/** RFC 7208: one record, at most ten look-ups, a sensible end, and the providers in it. */
export async function checkSpf(dns: Dns, domain: string, kinds: readonly string[]): Promise<Verdict> {
  const answer = await dns.txt(domain);
  if ('unasked' in answer) return unasked(answer.unasked);
  const records = answer.records.filter((record) => /^v=spf1(?: |$)/i.test(record));
  const wanted = [...new Set(kinds.flatMap((kind) => includes[kind] ?? []))];
  const [record] = records;
  if (record === undefined)
    return { status: 'fail', detail: 'no record', advice: publish(domain, wanted, kinds) };
  if (records.length > 1)
    return {
      status: 'fail',
      detail: `${records.length} records; receivers ignore all of them`,
      advice: 'Merge them into one.',
    };
  const end = /(?:^| )([+?~-]?)all(?: |$)/i.exec(record);
  if (end && (end[1] === '' || end[1] === '+'))
    return {
      status: 'fail',
      detail: `${record}: +all lets anyone send`,
      advice: 'End it with ~all or -all.',
    };
  const lookups = await countLookups(dns, record, new Set([domain]));
  if (lookups > mostLookups)
    return {
      status: 'fail',
      detail: `${lookups} DNS lookups; receivers stop at ${mostLookups}`,
      advice: 'Remove includes of providers you no longer use.',
    };
  const missing = wanted.filter((each) => !record.toLowerCase().includes(`include:${each}`));
  if (missing.length > 0)
    return {
      status: 'warn',
      detail: `${record}: without ${missing.join(', ')}`,
      advice: `Add ${missing.map((each) => `include:${each}`).join(' ')}, unless the provider uses its own bounce domain.`,
    };
  const open = !end && !/(?:^| )redirect=/i.test(record);
  if (open || end?.[1] === '?')
    return {
      status: 'warn',
      detail: `${record}: no policy for other senders`,
      advice: 'End it with ~all or -all.',
    };
  return { status: 'ok', detail: record };
}

function publish(domain: string, wanted: string[], kinds: readonly string[]): string {
  const named = wanted.map((each) => `include:${each} `).join('');
  const own = kinds.includes('smtp') || wanted.length === 0 ? 'a mx ' : '';
  return `Publish: ${domain}  TXT  "v=spf1 ${named}${own}~all"`;
}

/** Counts what a receiver would ask for; stops soon after there are too many. */
async function countLookups(dns: Dns, record: string, seen: Set<string>): Promise<number> {
  let count = 0;
  for (const term of record.toLowerCase().split(/\s+/).slice(1)) {
    const [, mechanism = '', target] =
      /^[+?~-]?(include|a|mx|ptr|exists|redirect)(?:[:=]([^\s/]+))?(?:\/|$)/.exec(term) ?? [];
    if (mechanism === '') continue;
    count += 1;
    const follows = (mechanism === 'include' || mechanism === 'redirect') && target && !seen.has(target);
    if (!follows || count > mostLookups || seen.size > 3 * mostLookups) continue;
    seen.add(target);
    const answer = await dns.txt(target);
    const [next] = 'records' in answer ? answer.records.filter((each) => /^v=spf1(?: |$)/i.test(each)) : [];
    if (next) count += await countLookups(dns, next, seen);
  }
  return count;
}
