import type { Outcome } from '../../../contract.ts';

/** The stage that a message reached; `handed_over` once its final dot may have reached the server. */
export type SmtpStage = 'connect' | 'greeting' | 'auth' | 'mail' | 'rcpt' | 'data' | 'handed_over';

export interface SmtpReply {
  stage: SmtpStage;
  /**
   * `reply`: the server refused; `lost`, `timeout`: the connection broke or no answer came; `dns`: the host name does not
   * exist; `blocked`: the network policy forbids the address; `no_auth`: the server does not offer the configured
   * authentication; `no_tls`: the connection is not encrypted; `smtputf8`: an address needs an extension that the server lacks;
   * `local`: the message was refused here before the server was asked; `stopped`: the caller aborted.
   */
  kind:
    | 'reply'
    | 'lost'
    | 'timeout'
    | 'tls'
    | 'dns'
    | 'blocked'
    | 'no_auth'
    | 'no_tls'
    | 'smtputf8'
    | 'local'
    | 'stopped';
  /** The server's reply in one line. Empty unless `kind` is `reply`. */
  reply: string;
  /** Our own sentence. */
  detail: string;
}

type Verdict = 'retry' | 'throttled' | 'recipient_later' | 'greylisted' | 'rejected' | 'suppress' | 'broken';

const noSuchMailbox =
  /no such (user|mailbox|recipient|address)|(user|recipient|mailbox|address)( is)? (unknown|not found|does ?n[o']t exist)|unknown (user|recipient|mailbox)|mailbox unavailable|does not exist|invalid (recipient|mailbox)/i;
const policyWords =
  /relay|spam|polic|block|black ?list|denied|spf|dkim|dmarc|reputation|authenticat|content/i;
const tooFast =
  /throttl|too many (concurrent |simultaneous )?(connections|sessions|messages|requests)|\brate\b.{0,30}(limit|exceed)|(limit|exceed).{0,30}\brate\b|too (fast|quickly)|slow down/i;
const greylistDelayMs = 5 * 60_000;

/** Classifies SMTP replies (RFC 5321, RFC 3463) and broken dialogues. */
export function classify(failure: SmtpReply): Outcome {
  const { stage, kind, reply, detail } = failure;
  switch (kind) {
    case 'reply':
      return classifyReply(stage, reply);
    case 'lost':
    case 'timeout':
    case 'tls':
    case 'stopped':
      // Once the final dot is sent the server may have accepted the message, so a repeat may send it twice.
      if (stage === 'handed_over') return { kind: 'ambiguous', detail, code: kind };
      return { kind: 'retry', detail, code: kind };
    case 'dns': // of the configured server, not of the recipient's domain
    case 'blocked':
    case 'no_auth':
    case 'no_tls':
      return { kind: 'broken', detail, code: kind };
    case 'smtputf8':
    case 'local':
      return { kind: 'rejected', detail, code: kind };
  }
}

function classifyReply(stage: SmtpStage, reply: string): Outcome {
  const [, digits = '', enhanced = null] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? [];
  const code = enhanced ? `${digits} ${enhanced}` : digits || null;
  const answer = { detail: reply, code };
  // The reply does not answer the message: it may belong to an earlier command, and the server may have accepted the message.
  if (stage === 'handed_over' && !/^[45]/.test(digits)) return { kind: 'ambiguous', ...answer };
  switch (verdictOf(stage, Number(digits), enhanced, reply)) {
    case 'retry':
      return { kind: 'retry', ...answer };
    case 'throttled':
      return { kind: 'throttled', ...answer, retryAfterMs: null };
    case 'recipient_later':
      return { kind: 'retry', ...answer, recipient: true };
    case 'greylisted':
      return { kind: 'retry', ...answer, atLeastMs: greylistDelayMs, recipient: true };
    case 'rejected':
      return { kind: 'rejected', ...answer };
    case 'suppress':
      return { kind: 'suppress', ...answer, reason: 'hard_bounce' };
    case 'broken':
      return { kind: 'broken', ...answer };
  }
}

function verdictOf(stage: SmtpStage, code: number, enhanced: string | null, text: string): Verdict {
  // Includes a reply that makes no sense here: a temporary refusal, since the message was not handed over yet.
  if (code < 500) return verdictForNow(stage, code, enhanced, text);
  if ([530, 534, 535, 538].includes(code) || enhanced === '5.7.8' || enhanced === '5.7.9') return 'broken';
  switch (stage) {
    case 'connect':
    case 'greeting':
    case 'auth':
      return 'broken'; // the server refuses us for every message
    case 'mail':
      return verdictOnSender(code, enhanced);
    default:
      return verdictOnRecipient(stage, code, enhanced, text);
  }
}

/** Only the text separates a server that throttles from one that has a problem: the codes are the same. */
function verdictForNow(stage: SmtpStage, code: number, enhanced: string | null, text: string): Verdict {
  if (stage === 'rcpt' && isGreylisting(code, enhanced, text)) return 'greylisted';
  if (enhanced?.startsWith('4.2.')) return 'recipient_later'; // the mailbox is busy, full, or receives too much
  return tooFast.test(text) ? 'throttled' : 'retry';
}

function isGreylisting(code: number, enhanced: string | null, text: string): boolean {
  return (code === 450 || code === 451) && (enhanced === '4.7.1' || /gr[ae]y-?list/i.test(text));
}

/** MAIL FROM concerns the environment's own address, so the recipient is never at fault. */
function verdictOnSender(code: number, enhanced: string | null): Verdict {
  const subject = enhanced?.split('.')[1];
  if (subject === '1' || subject === '7') return 'broken';
  return enhanced === null && [550, 553, 554].includes(code) ? 'broken' : 'rejected';
}

function verdictOnRecipient(stage: SmtpStage, code: number, enhanced: string | null, text: string): Verdict {
  if (code === 521 || code === 556) return 'suppress'; // the domain accepts no mail
  if (code === 553) return 'rejected'; // the address is malformed
  switch (enhanced) {
    case '5.1.1':
    case '5.1.2':
    case '5.1.3':
    case '5.1.6':
    case '5.1.10':
    case '5.2.1':
    case '5.3.2':
    case '5.4.1':
      return 'suppress';
    case '5.2.2':
      return 'recipient_later'; // a full mailbox may be emptied
    case null:
      break;
    default:
      return 'rejected'; // too large, policy, spam, reputation: never counted against the address
  }
  if (code === 552 && stage === 'rcpt') return 'recipient_later';
  // Without an enhanced code 550 means anything from "no such user" to "we do not like you". An address is suppressed only when
  // the text of the reply names the mailbox.
  return (code === 550 || code === 551) && noSuchMailbox.test(text) && !policyWords.test(text)
    ? 'suppress'
    : 'rejected';
}
