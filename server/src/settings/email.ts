import { isIP } from 'node:net';
import { displayNameProblem, parseEmailAddress } from '../channels/email/address.ts';
import { isLoopback } from './service.ts';
import { BadValue, setting, url, type ValuesOf } from './setting.ts';

export interface ManagedSender {
  address: string;
  name: string | null;
}

/** `no-reply@example.com` or `Name <no-reply@example.com>`. */
const managedSender = (value: string): ManagedSender => {
  const [, given = '', address = value] = /^(.*?)\s*<([^<>]*)>$/s.exec(value.trim()) ?? [];
  const name = given.replace(/^"(.*)"$/s, '$1');
  const parsed = parseEmailAddress(address.trim());
  if ('problem' in parsed || displayNameProblem(name) !== null)
    throw new BadValue(
      'must be an email address such as no-reply@example.com or Name <no-reply@example.com>',
    );
  return { address: parsed.address, name: name || null };
};

const smtpUrl = (value: string): string => {
  const checked = url('smtp:', 'smtps:')(value);
  if (!/^(\?require_tls=(true|false))?$/.test(new URL(checked).search))
    throw new BadValue('may end with ?require_tls=true, but no other query');
  return checked;
};

const smtpName = (value: string): string => {
  const isLiteral = /^\[(?:IPv6:)?[0-9a-fA-F.:]+\]$/.test(value);
  if (!isLiteral && !/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i.test(value))
    throw new BadValue('must be a host name such as mail.example.com, or an address in brackets');
  return value;
};

/** The operator's managed email provider, and our name for mail servers. */
export const emailSettings = {
  CARILLON_SMTP_URL: setting<string | null>({
    read: smtpUrl,
    fallback: null,
    shown: '–',
    meaning:
      "The operator's managed email provider, used by Live environments without an email provider. Append `?require_tls=true` to require TLS. Requires CARILLON_MANAGED_FROM.",
    secret: true,
  }),
  CARILLON_MANAGED_FROM: setting<ManagedSender | null>({
    read: managedSender,
    fallback: null,
    shown: '–',
    meaning:
      'The sender of all email sent through the managed provider, such as `Acme <no-reply@acme.example>`. Environments and requests cannot change it.',
  }),
  CARILLON_SMTP_NAME: setting<string | null>({
    read: smtpName,
    fallback: null,
    shown: 'host of PUBLIC_URL, or else the domain of the From address',
    meaning: 'The EHLO name for mail servers. Many servers reject a name that does not exist in DNS.',
  }),
} as const;

/** Without a fixed sender the relay would send as any address that a tenant writes. */
export function managedEmailProblem(config: ValuesOf<typeof emailSettings>): string | null {
  // A value that could not be parsed is undefined here, and has been reported.
  return config.CARILLON_SMTP_URL && config.CARILLON_MANAGED_FROM === null
    ? 'CARILLON_MANAGED_FROM must also be set: it is the sender of all email sent through CARILLON_SMTP_URL'
    : null;
}

/** The name that PUBLIC_URL gives us towards mail servers; null when it has no public name. */
export function smtpNameOf(publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  const host = new URL(publicUrl).hostname;
  if (isLoopback(host) || !/[.:]/.test(host)) return null;
  const address = host.replace(/^\[|\]$/g, '');
  return { 0: host, 4: `[${address}]`, 6: `[IPv6:${address}]` }[isIP(address)] ?? null;
}
