import type { Verdict } from './check.ts';
import { type Dns, unasked } from './dns.ts';

/** At the domain itself, else at the domains above it, as receivers look for it. */
export async function checkDmarc(dns: Dns, domain: string): Promise<Verdict> {
  for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    const answer = await dns.txt(`_dmarc.${name}`);
    if ('unasked' in answer) return unasked(answer.unasked);
    const records = answer.records.filter((record) => /^v\s*=\s*DMARC1\s*(?:;|$)/i.test(record));
    if (records.length > 1)
      return {
        status: 'fail',
        detail: `${records.length} records at _dmarc.${name}`,
        advice: 'Keep only one.',
      };
    const [record] = records;
    if (record !== undefined) return judge(record, name === domain ? '' : ` (of ${name})`);
  }
  return {
    status: 'fail',
    detail: 'no record; large mailbox providers reject bulk senders without one',
    advice: `Publish: _dmarc.${domain}  TXT  "v=DMARC1; p=none; rua=mailto:dmarc@${domain}", and tighten it later.`,
  };
}

function judge(record: string, where: string): Verdict {
  const [, policy = ''] = /;\s*p\s*=\s*(\w+)/i.exec(record) ?? [];
  if (!['none', 'quarantine', 'reject'].includes(policy.toLowerCase()))
    return {
      status: 'fail',
      detail: `${record}${where}: no policy`,
      advice: 'Add p=none, p=quarantine or p=reject.',
    };
  if (policy.toLowerCase() === 'none')
    return {
      status: 'ok',
      detail: `${record}${where}: reports only`,
      advice: 'When the reports are clean, set p=quarantine, then p=reject.',
    };
  return { status: 'ok', detail: `${record}${where}` };
}
