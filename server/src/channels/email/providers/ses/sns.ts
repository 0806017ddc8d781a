import { createVerify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Outbound } from '../../../http.ts';

const snsHost = /^sns\.[a-zA-Z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;
const fetchTimeoutMs = 5_000;
const maxCertificateBytes = 65_536;

/**
 * Only Amazon's own hosts are trusted, or the host of the provider's `base_url`, which its owner chose. Without this rule a
 * caller could sign with a certificate of its own, or make us call an address of its choice.
 */
export function isTrustedUrl(text: unknown, baseUrl: string | null): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username || url.password) return false;
  if (baseUrl !== null && url.origin === new URL(baseUrl).origin) return true;
  return url.protocol === 'https:' && url.port === '' && snsHost.test(url.hostname);
}

/**
 * The URL must be a file without a query: with a query the host could answer with text of the caller's choice, including a
 * certificate.
 */
function isCertificateUrl({ pathname, search }: URL): boolean {
  return search === '' && /^\/[\w-]+\.pem$/.test(pathname);
}

const signedFields: Partial<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

/** Returns null when the type of the message is unknown. */
export function signedText(message: Record<string, unknown>): string | null {
  const names = signedFields[String(message.Type)];
  if (!names) return null;
  return names
    .filter((name) => typeof message[name] === 'string')
    .map((name) => `${name}\n${message[name]}\n`)
    .join('');
}

// One cache for each Outbound, so that two services in one process (tests) share nothing. Amazon changes its certificate about
// once a year.
const certificates = new WeakMap<Outbound, LRUCache<string, X509Certificate>>();

async function certificateAt(url: string, outbound: Outbound, now: number): Promise<X509Certificate | null> {
  const known = certificates.get(outbound) ?? new LRUCache({ max: 50, ttl: 24 * 3_600_000 });
  certificates.set(outbound, known);
  const cached = known.get(url);
  if (cached && isCurrent(cached, now)) return cached;
  const answer = await outbound.request({
    method: 'GET',
    url,
    timeoutMs: fetchTimeoutMs,
    maxBytes: maxCertificateBytes,
  });
  if (answer.kind !== 'answer' || answer.status !== 200) return null;
  try {
    const certificate = new X509Certificate(answer.body);
    if (!isCurrent(certificate, now)) return null;
    known.set(url, certificate);
    return certificate;
  } catch {
    return null;
  }
}

function isCurrent({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}

/** Returns null when the signature is valid, else the reason. */
export async function signatureProblem(
  message: Record<string, unknown>,
  baseUrl: string | null,
  { outbound, clock }: { outbound: Outbound; clock: () => number },
): Promise<string | null> {
  const text = signedText(message);
  if (text === null) return 'the message type is unknown';
  const algorithm = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' }[String(message.SignatureVersion)];
  if (!algorithm) return 'the signature version is unknown';
  const { SigningCertURL: url } = message;
  if (!isTrustedUrl(url, baseUrl) || !isCertificateUrl(new URL(url)))
    return 'the certificate is not at an address of Amazon SNS';
  const certificate = await certificateAt(url, outbound, clock());
  if (!certificate) return 'the certificate cannot be fetched, or is not valid now';
  const isSigned = createVerify(algorithm)
    .update(text)
    .verify(certificate.publicKey, String(message.Signature ?? ''), 'base64');
  return isSigned ? null : 'the signature is wrong';
}
