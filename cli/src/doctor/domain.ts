import { domainToASCII } from 'node:url';
import { type Check, checkOf, type Verdict } from './check.ts';
import { checkDkim } from './dkim.ts';
import { checkDmarc } from './dmarc.ts';
import { type Dns, unasked } from './dns.ts';
import { checkSpf } from './spf.ts';

interface Sender {
  domain: string;
  /** The kinds of providers that send for it. */
  kinds: readonly string[];
  selectors: readonly string[];
}

/** What receivers look up about a domain before they trust its mail. */
export async function checkDomain(dns: Dns, { domain: given, kinds, selectors }: Sender): Promise<Check[]> {
  const domain = domainToASCII(given) || given;
  const [spf, dkim, dmarc, exists] = await Promise.all([
    checkSpf(dns, domain, kinds),
    checkDkim(dns, domain, selectors, kinds),
    checkDmarc(dns, domain),
    checkReachable(dns, domain),
  ]);
  return [
    checkOf('domain', `SPF of ${domain}`, spf),
    checkOf('domain', `DKIM of ${domain}`, dkim),
    checkOf('domain', `DMARC of ${domain}`, dmarc),
    checkOf('domain', `MX of ${domain}`, exists),
  ];
}

/** Many receivers refuse mail from where no answer could go. */
async function checkReachable(dns: Dns, domain: string): Promise<Verdict> {
  const answer = await dns.mx(domain);
  if ('unasked' in answer) return unasked(answer.unasked);
  const exchanges = answer.records.filter((each) => each !== '' && each !== '.');
  if (exchanges.length > 0) return { status: 'ok', detail: exchanges.join(', ') };
  const addresses = answer.records.length > 0 ? answer : await dns.addresses(domain);
  if (answer.records.length === 0 && 'records' in addresses && addresses.records.length > 0)
    return { status: 'ok', detail: 'none, but the domain has an address' };
  return {
    status: 'warn',
    detail: 'the domain accepts no mail',
    advice: 'Publish an MX record to receive replies and bounces.',
  };
}
