import type { Problem } from '../../kernel/errors.ts';

/** An error that smtp-server turns into a reply. */
export type SmtpError = Error & { responseCode: number };

export function smtpError(responseCode: number, message: string): SmtpError {
  return Object.assign(new Error(asciiLine(message)), { responseCode });
}

/** The step of the session at which a problem is reported. */
export type SmtpStep = 'auth' | 'mail' | 'rcpt' | 'data';

/**
 * The reply for a problem: the sentence of the API with its code. 4xx makes the client try again later (the service or the plan
 * has no room at the moment), 5xx makes it give up (the message itself must change).
 */
export function replyTo(problem: Problem, step: SmtpStep): SmtpError {
  return smtpError(replyCode(problem, step), `${problem.message} [${problem.code}]`);
}

function replyCode({ status, code }: Problem, step: SmtpStep): number {
  if (status >= 500 || status === 429) return step === 'auth' ? 454 : 451;
  if (status === 402) return 452;
  if (code === 'payload_too_large' || code === 'attachment_too_large') return 552;
  if (status === 401 || status === 403) return step === 'auth' ? 535 : 530;
  return step === 'rcpt' ? 553 : 554;
}

/** Replies are ASCII, and a line has 512 octets at most (RFC 5321 4.5.3.1.5). */
function asciiLine(text: string): string {
  const line = text.replace(/[^\x20-\x7e]+/g, '?');
  return line.length <= 480 ? line : `${line.slice(0, 477)}...`;
}

export const isTemporary = ({ responseCode }: SmtpError): boolean => responseCode < 500;
