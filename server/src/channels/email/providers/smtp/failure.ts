import { withoutSecrets } from '../../../exchange.ts';
import { AddressRefused, ConnectTimeout } from '../../../net.ts';
import type { SmtpReply, SmtpStage } from './classify.ts';

const maxDetail = 300;

export class SmtpFailure extends Error {
  readonly failure: SmtpReply;
  constructor(failure: SmtpReply) {
    super(failure.detail);
    this.failure = failure;
  }
}

interface NodemailerError extends Error {
  code?: string;
  originalCode?: string;
  response?: string;
  responseCode?: number;
  /** OpenSSL's reason, without the position in its sources. */
  reason?: string;
}

/** Converts an error of nodemailer or of the system into an SmtpFailure. */
export function failureOf(
  stage: SmtpStage,
  error: unknown,
  signal: AbortSignal,
  secrets: readonly string[] = [],
): SmtpReply {
  const { code, originalCode, responseCode, response, message, reason } = error as NodemailerError;
  const failed = (kind: SmtpReply['kind'], detail: string): SmtpReply => ({
    stage,
    kind,
    reply: '',
    detail: withoutSecrets(detail, secrets)
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, maxDetail)
      .trim(),
  });
  // Only a real SMTP reply is repeated: the host and port come from a tenant, and another service may answer there.
  if (response && !isReply(response)) return failed('lost', 'The server does not speak SMTP.');
  if (code === 'ETLS') return failed('tls', `TLS failed: ${message}`);
  if (response && responseCode) {
    const reply = oneLineReply(response, secrets);
    return { stage, kind: 'reply', reply, detail: reply };
  }
  if (signal.aborted) return failed('stopped', 'Stopped before the server answered.');
  if (error instanceof AddressRefused) return failed('blocked', message);
  if (error instanceof ConnectTimeout) return failed('timeout', message);
  const system = originalCode ?? code ?? '';
  if (code === 'ETIMEDOUT' || system === 'ETIMEDOUT')
    return failed('timeout', 'The server did not answer in time.');
  if (system === 'ENOTFOUND') return failed('dns', 'The name of the server does not exist.');
  if (system === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return failed(
      'tls',
      'TLS failed: the server does not use TLS from the first byte on this port (secure).',
    );
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|^EPROTO$/.test(system))
    return failed('tls', `TLS failed: ${reason ?? message}`);
  if (code === 'EAUTH') return failed('no_auth', message);
  if (code === 'EMESSAGE' || code === 'EENVELOPE') return failed('local', message);
  if (code === 'EPROTOCOL') return failed('lost', `The server violates the SMTP protocol: ${message}`);
  if (stage === 'connect') return failed('lost', `The server could not be reached (${system}).`);
  return failed('lost', `The connection was lost (${system || 'closed'}).`);
}

/** A reply code as in RFC 5321 4.2, followed by the end of the text, a space or a hyphen. */
function isReply(response: string): boolean {
  return /^[2-5][0-5]\d(?:[ -]|\r?\n|$)/.test(response);
}

/** `550-5.1.1 a\n550 5.1.1 b` → `550 5.1.1 a b`, without control characters and of bounded length. */
export function oneLineReply(reply: string, secrets: readonly string[] = []): string {
  const [first = '', ...rest] = reply.split('\n').map((line) => line.trim());
  const prefix = /^\d{3}([ -]\d\.\d{1,3}\.\d{1,3})?[ -]?/.exec(first)?.[0] ?? '';
  const more = rest.map((line) => line.replace(/^\d{3}[ -](\d\.\d{1,3}\.\d{1,3} )?/, ''));
  const joined = [prefix.replaceAll('-', ' ') + first.slice(prefix.length), ...more].join(' ');
  return withoutSecrets(joined, secrets)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, maxDetail)
    .trim();
}
