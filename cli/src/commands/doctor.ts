import { command } from '../command.ts';
import type { Check } from '../doctor/check.ts';
import { checkConnections } from '../doctor/connections.ts';
import { createDns } from '../doctor/dns.ts';
import { checkDomain } from '../doctor/domain.ts';
import { checkOneClick } from '../doctor/one-click.ts';
import { checkKey, checkService } from '../doctor/service.ts';
import { exitCodes, usageError } from '../errors.ts';
import { plain, type Style } from '../style.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Check the service, its connections and the sender domain',
  details:
    'Checks database, queue, providers, endpoints, SPF, DKIM and DMARC of the sender domain and one-click unsubscribe,\n' +
    'with advice for each problem. Nothing is sent. Exits with 1 if a check fails.',
  options: {
    domain: {
      type: 'string',
      value: 'domain',
      description: 'Sender domain. Default: the domain of from_address',
    },
    selector: { type: 'string', value: 'name', multiple: true, description: 'A DKIM selector' },
    resolver: {
      type: 'string',
      value: 'address',
      description: 'DNS server. Default: the one of this machine',
    },
    offline: { type: 'boolean', description: 'Skip the DNS checks' },
  },
  examples: [
    { command: 'carillon doctor', says: 'everything' },
    {
      command: 'carillon doctor --profile live --selector s1 --selector s2',
      says: 'check Live with its DKIM selectors',
    },
    {
      command: 'carillon doctor --domain example.com --resolver 1.1.1.1',
      says: 'check a domain before you use it',
    },
  ],
  async run(context, { domain: given, selector = [], resolver, offline }) {
    const { io, json, style } = context;
    if (given !== undefined && !/^[^\s@/:]+\.[^\s@/:]+$/.test(given))
      throw usageError('--domain must be a domain, such as example.com.');
    const dns = createDns(resolver);
    const client = context.client();
    const checks: Check[] = [];
    const add = (...more: Check[]) => {
      checks.push(...more);
      if (!json) for (const check of more) for (const line of linesOf(check, style)) io.out(line);
    };
    add(...(await checkService(context.url())));
    const { me, check } = await checkKey(client);
    add(check);
    const live = me.environment_kind === 'live';
    const { checks: connections, email } = await checkConnections(client, me.environment_id, live);
    add(...connections);
    const domain = given ?? email?.from_address?.split('@').at(-1);
    if (offline) add(skipped('DNS checks skipped: --offline'));
    else if (domain === undefined)
      add(skipped('no from_address in the email settings; set one with --domain'));
    else {
      const kinds = email?.providers.filter((each) => each.enabled).map(({ kind }) => kind) ?? [];
      add(...(await checkDomain(dns, { domain, kinds, selectors: selector })));
    }
    add(await checkOneClick(client, dns));
    const failed = checks.filter(({ status }) => status === 'fail').length;
    const warned = checks.filter(({ status }) => status === 'warn').length;
    if (json) io.out(JSON.stringify({ ok: failed === 0, checks }));
    else io.out(`\n${failed} failed, ${warned} warnings, ${checks.length} checks`);
    return failed > 0 ? exitCodes.failure : exitCodes.ok;
  },
});

function skipped(detail: string): Check {
  return { area: 'domain', name: 'sender domain', status: 'skip', detail, advice: null };
}

const marks = { ok: ['✓', 'green'], warn: ['!', 'yellow'], fail: ['✗', 'red'], skip: ['-', 'dim'] } as const;

function linesOf({ name, status, detail, advice }: Check, style: Style): string[] {
  const [mark, format] = marks[status];
  const line = `${style(format, mark)} ${style('bold', plain(name))}  ${plain(detail, 500)}`;
  return advice ? [line, `    → ${plain(advice, 500)}`] : [line];
}
