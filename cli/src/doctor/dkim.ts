import { createPublicKey } from 'node:crypto';
import type { Verdict } from './check.ts';
import { type Dns, unasked } from './dns.ts';

/** Where each provider usually puts its key; SES and postmark make up names of their own. */
const usual: Record<string, readonly string[]> = {
  sendgrid: ['s1', 's2'],
  resend: ['resend'],
  mailgun: ['smtp', 'mx', 'k1', 'mailo', 'pic'],
  postmark: ['pm'],
};
const common = ['default', 'dkim', 'mail', 'selector1', 'selector2'];

/** Selectors cannot be listed: those that are named, else the usual ones. */
export async function checkDkim(
  dns: Dns,
  domain: string,
  selectors: readonly string[],
  kinds: readonly string[],
): Promise<Verdict> {
  const tried = selectors.length > 0 ? selectors : [...kinds.flatMap((kind) => usual[kind] ?? []), ...common];
  const found: string[] = [];
  const problems: string[] = [];
  const answers = await Promise.all(tried.map((each) => dns.txt(`${each}._domainkey.${domain}`)));
  for (const [index, answer] of answers.entries()) {
    const selector = tried[index] ?? '';
    if ('unasked' in answer) return unasked(answer.unasked);
    const record = answer.records.find((each) => /(?:^|;)\s*p\s*=/i.test(each));
    if (record === undefined) {
      if (selectors.length > 0) problems.push(`${selector}: no record`);
      continue;
    }
    const problem = problemOf(record);
    if (problem) problems.push(`${selector}: ${problem}`);
    else found.push(selector);
  }
  if (problems.length > 0)
    return {
      status: 'fail',
      detail: problems.join('; '),
      advice: 'Publish the record from your provider for this domain, unchanged.',
    };
  if (found.length > 0) return { status: 'ok', detail: `selector ${found.join(', ')}` };
  return {
    status: 'warn',
    detail: `no key under the usual selectors (${tried.join(', ')})`,
    advice:
      'Publish the record from your provider. If it is published, pass its selector: --selector <name>.',
  };
}

function problemOf(record: string): string | null {
  const tags = new Map(
    record.split(';').map((tag) => {
      const [name = '', ...value] = tag.split('=');
      return [name.trim().toLowerCase(), value.join('=').replaceAll(/\s/g, '')];
    }),
  );
  const key = tags.get('p') ?? '';
  if (key === '') return 'the key was revoked (p= is empty)';
  if ((tags.get('k') ?? 'rsa') !== 'rsa') return null;
  try {
    const { asymmetricKeyDetails } = createPublicKey({
      key: Buffer.from(key, 'base64'),
      format: 'der',
      type: 'spki',
    });
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return bits < 1024 ? `the key has ${bits} bits; at least 1024 are required, 2048 are recommended` : null;
  } catch {
    return 'invalid key (is the record truncated?)';
  }
}
