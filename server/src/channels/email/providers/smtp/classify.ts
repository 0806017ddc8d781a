import type { Outcome } from '../../../contract.ts';

/** How far a message got; `handed_over` once its final dot may have reached the server. */
export type SmtpStage = 'connect' | 'greeting' | 'auth' | 'mail' | 'rcpt' | 'data' | 'handed_over';

export interface SmtpReply {
  stage: SmtpStage;
  /**
   * `reply`: the server said no; `lost`, `timeout`: the connection broke or nothing came; `dns`: the host's name does not
   * exist; `blocked`: we may not call that address; `no_auth`: it does not ask who we are, but we are to say it; `no_tls`:
   * others could read it; `smtputf8`: an address needs an extension that the server lacks; `local`: we refused before asking;
   * `stopped`: we were told to.
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
  /** The server's words, in one line. Empty unless `kind` is `reply`. */
  reply: string;
  /** Our words. */
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

/** The classes of SMTP replies (RFC 5321, RFC 3463) and of broken dialogues, as a function. */
export function classify(failure: SmtpReply): Outcome {
  const { stage, kind, reply, detail } = failure;
  switch (kind) {
    case 'reply':
      return classifyReply(stage, reply);
    case 'lost':
    case 'timeout':
    case 'tls':
    case 'stopped':
      // With the final dot on its way the server may have taken the message: whoever repeats it may send it twice.
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
  // No answer to a whole message: perhaps to something before it, and the server has taken it all the same.
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
  // Also a reply that makes no sense here: refused for now, since it was not handed over yet.
  if (code < 500) return verdictForNow(stage, code, enhanced, text);
  if ([530, 534, 535, 538].includes(code) || enhanced === '5.7.8' || enhanced === '5.7.9') return 'broken';
  switch (stage) {
    case 'connect':
    case 'greeting':
    case 'auth':
      return 'broken'; // it refuses us, whatever the message
    case 'mail':
      return verdictOnSender(code, enhanced);
    default:
      return verdictOnRecipient(stage, code, enhanced, text);
  }
}

/** Only words tell a server that wants us to go slower from one that has a problem: the codes are the same. */
function verdictForNow(stage: SmtpStage, code: number, enhanced: string | null, text: string): Verdict {
  if (stage === 'rcpt' && isGreylisting(code, enhanced, text)) return 'greylisted';
  if (enhanced?.startsWith('4.2.')) return 'recipient_later'; // the mailbox is busy, full, or gets too much
  return tooFast.test(text) ? 'throttled' : 'retry';
}

function isGreylisting(code: number, enhanced: string | null, text: string): boolean {
  return (code === 450 || code === 451) && (enhanced === '4.7.1' || /gr[ae]y-?list/i.test(text));
}

/** MAIL FROM concerns the environment's own address, so the recipient is never to blame. */
function verdictOnSender(code: number, enhanced: string | null): Verdict {
  const subject = enhanced?.split('.')[1];
  if (subject === '1' || subject === '7') return 'broken';
  return enhanced === null && [550, 553, 554].includes(code) ? 'broken' : 'rejected';
}

function verdictOnRecipient(stage: SmtpStage, code: number, enhanced: string | null, text: string): Verdict {
  if (code === 521 || code === 556) return 'suppress'; // the domain takes no mail
  if (code === 553) return 'rejected'; // the address is badly written
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
      return 'rejected'; // too large, policy, spam, reputation: never held against the address
  }
  if (code === 552 && stage === 'rcpt') return 'recipient_later';
  // Without an enhanced code 550 means anything from "no such user" to "we do not like you". An address is only given up
  // when the server says so in words.
  return (code === 550 || code === 551) && noSuchMailbox.test(text) && !policyWords.test(text)
    ? 'suppress'
    : 'rejected';
}
