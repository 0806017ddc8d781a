import { createPrivateKey, type KeyObject } from 'node:crypto';
import { parseEmailAddress } from '../../../../channels/email/address.ts';
import { type NetworkPolicy, parseTarget } from '../../../../channels/net.ts';
import { invalidParameter, missingParameter } from '../../../../kernel/errors.ts';
import type { PushSettingsBody } from './schema.ts';
import type { PushSettings } from './store.ts';

/** The settings a caller gave, checked and complete; keys are not sealed yet. */
export type PushInput = Pick<PushSettings, 'web_push' | 'apns' | 'fcm'>;

/** Keys are write-only: an omitted one keeps its value (`stored`, decrypted). */
export function readPushInput(
  body: PushSettingsBody,
  stored: PushInput | null,
  policy: NetworkPolicy,
): PushInput {
  return {
    web_push: body.web_push ? { contact: readContact(body.web_push.contact) } : null,
    apns: body.apns ? readApns(body.apns, stored?.apns ?? null) : null,
    fcm: body.fcm ? readFcm(body.fcm.service_account ?? null, stored?.fcm ?? null, policy) : null,
  };
}

/** RFC 8292 wants a URL; an email address is what people have. */
function readContact(given: string): string {
  const address = given.replace(/^mailto:/i, '');
  if (!('problem' in parseEmailAddress(address))) return address;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url?.protocol === 'https:') return url.href;
  throw invalidParameter('web_push.contact', 'web_push.contact must be an email address or an https URL.');
}

type ApnsBody = NonNullable<PushSettingsBody['apns']>;

function readApns(given: ApnsBody, stored: PushInput['apns']): NonNullable<PushInput['apns']> {
  const { team_id, key_id, bundle_id, environment = 'production' } = given;
  for (const [name, value] of Object.entries({ team_id, key_id }))
    if (!/^[A-Z0-9]{10}$/.test(value))
      throw invalidParameter(`apns.${name}`, `apns.${name} must have 10 capital letters and digits.`);
  if (!/^[A-Za-z0-9.-]+$/.test(bundle_id))
    throw invalidParameter('apns.bundle_id', 'apns.bundle_id may have letters, digits, dots and hyphens.');
  // A key signs for its own id only.
  const kept = stored?.key_id === key_id && stored.team_id === team_id ? stored.private_key : null;
  const key = given.private_key?.trim() || kept;
  if (!key) throw missingParameter('apns.private_key');
  const parsed = parseKey(key);
  if (parsed?.asymmetricKeyType !== 'ec' || parsed.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw invalidParameter(
      'apns.private_key',
      'apns.private_key must be the contents of a .p8 file: a key of the curve P-256 in PEM, which begins with "-----BEGIN PRIVATE KEY-----".',
    );
  return { team_id, key_id, bundle_id, environment, private_key: pemOf(parsed) };
}

const tokenUri = 'https://oauth2.googleapis.com/token';
/** Google makes keys of 2,048 bits; a much longer one takes too long to sign with. */
const maxModulus = 4_096;

function readFcm(
  account: Record<string, unknown> | null,
  stored: PushInput['fcm'],
  policy: NetworkPolicy,
): NonNullable<PushInput['fcm']> {
  const at = 'fcm.service_account';
  if (!account) {
    if (!stored) throw missingParameter(at);
    return stored;
  }
  const text = (name: string, pattern: RegExp): string => {
    const value = account[name];
    if (value === undefined) throw missingParameter(`${at}.${name}`);
    if (typeof value !== 'string' || value.length > 10_000 || !pattern.test(value))
      throw invalidParameter(`${at}.${name}`, `${at}.${name} is not that of a key file of Google.`);
    return value;
  };
  if (account.type !== 'service_account')
    throw invalidParameter(
      `${at}.type`,
      `${at}.type must be "service_account": use the key file that Google made.`,
    );
  const uri = account.token_uri === undefined ? tokenUri : text('token_uri', /^https?:/);
  const target = parseTarget(uri, policy);
  const problem = 'problem' in target ? target.problem : null;
  if (problem) throw invalidParameter(`${at}.token_uri`, `${at}.token_uri ${problem}.`);
  if (policy === 'none' && !uri.startsWith('https:'))
    throw invalidParameter(`${at}.token_uri`, `${at}.token_uri must be an https URL.`);
  const key = parseKey(text('private_key', /PRIVATE KEY/));
  const { modulusLength = 0 } = key?.asymmetricKeyDetails ?? {};
  if (key?.asymmetricKeyType !== 'rsa' || modulusLength < 2_048 || modulusLength > maxModulus)
    throw invalidParameter(
      `${at}.private_key`,
      `${at}.private_key must be an RSA key of 2,048 to 4,096 bits in PEM.`,
    );
  return {
    project_id: text('project_id', /^[a-z0-9.:-]{1,100}$/),
    client_email: text('client_email', /^[^\s@]{1,200}@[^\s@]{1,200}$/),
    token_uri: uri,
    private_key: pemOf(key),
  };
}

function parseKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

/** The key as PKCS #8, from any of its forms. */
function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
