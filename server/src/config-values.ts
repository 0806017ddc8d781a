import { isIP } from 'node:net';
import { displayNameProblem, parseEmailAddress } from './channels/email/address.ts';
import { BadDatabaseUrl, parseDatabaseUrl } from './db/hosts.ts';

/** Parsers for the texts of settings. Each throws BadValue with a description of a valid text. */
export class BadValue extends Error {}

export const text = (value: string): string => value;

export const integer = (min: number, max: number) => (value: string) => {
  if (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max)
    throw new BadValue(`must be a whole number from ${min} to ${max}`);
  return Number(value);
};

export const positive = (value: string): number => {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new BadValue('must be a number above 0');
  return number;
};

export const oneOf =
  <Value extends string>(...values: Value[]) =>
  (value: string): Value => {
    const found = values.find((candidate) => candidate === value);
    if (!found) throw new BadValue(`must be one of ${values.join(', ')}`);
    return found;
  };

export const url =
  (...protocols: string[]) =>
  (value: string): string => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new BadValue(
        `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    }
    return value.replace(/\/+$/, '');
  };

export const databaseUrl = (value: string): string => {
  try {
    parseDatabaseUrl(value);
  } catch (error) {
    if (!(error instanceof BadDatabaseUrl)) throw error;
    throw new BadValue(error.message);
  }
  return value;
};

const roleNames = ['api', 'worker'] as const;
export type ProcessRole = (typeof roleNames)[number];

export const processRoles = (value: string): ProcessRole[] =>
  value.split(',').map((role) => oneOf(...roleNames)(role.trim()));

export const encryptionKeys = (value: string): Buffer[] =>
  value.split(',').map((part) => {
    const key = Buffer.from(part.trim(), 'base64');
    if (key.length !== 32) throw new BadValue('must be 32 bytes in base64 (several: comma-separated)');
    return key;
  });

export const apiKey = (kind: 'test' | 'live') => (value: string) => {
  if (!new RegExp(`^crl_${kind}_[0-9A-Za-z]{20,200}$`).test(value)) {
    throw new BadValue(`must be crl_${kind}_ followed by 20 or more letters and digits`);
  }
  return value;
};

export const password = (value: string): string => {
  if (value.length < 8 || value.length > 200) throw new BadValue('must have 8 to 200 characters');
  return value;
};

export const emailAddress = (value: string): string => {
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(value)) throw new BadValue('must be an email address');
  return value.toLowerCase();
};

export interface ManagedSender {
  address: string;
  name: string | null;
}

/** `no-reply@example.com` or `Name <no-reply@example.com>`. */
export const managedSender = (value: string): ManagedSender => {
  const [, given = '', address = value] = /^(.*?)\s*<([^<>]*)>$/s.exec(value.trim()) ?? [];
  const name = given.replace(/^"(.*)"$/s, '$1');
  const parsed = parseEmailAddress(address.trim());
  if ('problem' in parsed || displayNameProblem(name) !== null)
    throw new BadValue(
      'must be an email address such as no-reply@example.com or Name <no-reply@example.com>',
    );
  return { address: parsed.address, name: name || null };
};

export const smtpUrl = (value: string): string => {
  const checked = url('smtp:', 'smtps:')(value);
  if (!/^(\?require_tls=(true|false))?$/.test(new URL(checked).search))
    throw new BadValue('may end with ?require_tls=true, but no other query');
  return checked;
};

export const smtpName = (value: string): string => {
  const isLiteral = /^\[(?:IPv6:)?[0-9a-fA-F.:]+\]$/.test(value);
  if (!isLiteral && !/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i.test(value))
    throw new BadValue('must be a host name such as mail.example.com, or an address in brackets');
  return value;
};

/** Each pattern must match a whole URL. */
export const patterns = (value: string): RegExp[] => value.split(',').map((part) => pattern(part.trim()));

function pattern(source: string): RegExp {
  try {
    return new RegExp(`^(?:${source})$`);
  } catch {
    throw new BadValue('must be regular expressions, comma-separated');
  }
}

export interface FlavouredPattern {
  flavour: 'A' | 'B';
  pattern: RegExp;
}

export const flavouredPatterns = (value: string): FlavouredPattern[] =>
  value.split(',').map((part) => {
    const [, flavour, source] = /^(?:([AB])=)?(.*)$/s.exec(part.trim()) ?? [];
    return { flavour: flavour === 'A' ? 'A' : 'B', pattern: pattern(source ?? '') };
  });

export const smsAccount = (value: string): string => {
  if (!/^[A-Za-z0-9]{1,64}$/.test(value)) throw new BadValue('must be letters and digits');
  return value;
};

export const smsSender = (value: string): string => {
  if (!/^\+[1-9]\d{6,14}$/.test(value) && !/^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/.test(value))
    throw new BadValue('must be a number in E.164 format or up to 11 letters and digits');
  return value;
};

export const networks = (value: string): string[] =>
  value.split(',').map((part) => {
    const [address = '', bits, ...more] = part.trim().split('/');
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (most < 0 || !fits || more.length > 0)
      throw new BadValue('must be addresses or networks, such as 10.0.0.0/8, comma-separated');
    return part.trim();
  });

export const pushHosts = (value: string): string[] =>
  value.split(',').map((part) => {
    const host = part.trim().toLowerCase();
    if (!/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host))
      throw new BadValue(
        'must be names of hosts, such as push.example.com or *.example.com, comma-separated',
      );
    return host;
  });

export const s3Bucket = (value: string): string => {
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(value))
    throw new BadValue('must be the name of a bucket: 3 to 63 letters, digits, dots and hyphens');
  return value;
};

/** Ends with a slash, unless it is empty. */
export const s3Prefix = (value: string): string => {
  const path = value.replace(/^\/+|\/+$/g, '');
  if (
    !/^[A-Za-z0-9_.-]*(\/[A-Za-z0-9_.-]+)*$/.test(path) ||
    path.split('/').some((part) => /^\.+$/.test(part))
  )
    throw new BadValue('must be letters, digits, dots, hyphens and underscores, separated by slashes');
  return path === '' ? '' : `${path}/`;
};

export interface S3Encryption {
  algorithm: 'AES256' | 'aws:kms';
  keyId: string | null;
}

export const s3Encryption = (value: string): S3Encryption => {
  if (value === 'AES256') return { algorithm: value, keyId: null };
  const [, keyId = null] = /^aws:kms(?::([\x21-\x7e]{1,2048}))?$/.exec(value) ?? [undefined, ''];
  if (keyId === '') throw new BadValue('must be AES256, aws:kms or aws:kms:KEY');
  return { algorithm: 'aws:kms', keyId };
};
