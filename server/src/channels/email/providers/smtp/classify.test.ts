import { describe, expect, it } from 'vitest';
import { classify, type SmtpReply, type SmtpStage } from './classify.ts';
import { oneLineReply } from './failure.ts';

function reply(stage: SmtpStage, text: string): SmtpReply {
  return { stage, kind: 'reply', reply: text, detail: text };
}

describe('a reply of the server becomes an outcome', () => {
  it.each<[SmtpStage, string, string, string | null]>([
    // Every temporary reply is tried again, with any text.
    ['greeting', '421 4.3.2 System going down', 'retry', '421 4.3.2'],
    ['auth', '454 4.7.0 Temporary authentication failure', 'retry', '454 4.7.0'],
    ['mail', '451 4.3.0 Local error', 'retry', '451 4.3.0'],
    ['rcpt', '450 4.2.1 No such user, for now', 'retry', '450 4.2.1'],
    ['rcpt', '452 4.5.3 Too many recipients', 'retry', '452 4.5.3'],
    ['rcpt', '455 Parameters', 'retry', '455'],
    ['data', '451 4.3.0 Queue', 'retry', '451 4.3.0'],
    ['handed_over', '421 4.7.0 Deferred', 'retry', '421 4.7.0'],
    ['handed_over', '452 4.2.2 Mailbox full', 'retry', '452 4.2.2'],
    ['rcpt', '552 5.2.2 Mailbox full', 'retry', '552 5.2.2'],
    ['rcpt', '552 Storage exceeded', 'retry', '552'],
    ['mail', '354 Go ahead', 'retry', '354'],
    // No answer to the message: whether it was taken is open.
    ['handed_over', '354 Go ahead', 'ambiguous', '354'],
    ['handed_over', '150 About to', 'ambiguous', '150'],
    // The server wants us to go slower, in so many words.
    ['greeting', '421 4.3.2 Too many connections', 'throttled', '421 4.3.2'],
    ['mail', '454 Throttling failure: Maximum sending rate exceeded.', 'throttled', '454'],
    ['data', '451 4.7.0 Rate limit exceeded, slow down', 'throttled', '451 4.7.0'],
    ['handed_over', '421 4.7.28 Our system has detected an unusual rate: limit', 'throttled', '421 4.7.28'],
    // That a mailbox gets too much says nothing about us.
    ['rcpt', '450 4.2.1 This user is receiving mail too quickly', 'retry', '450 4.2.1'],
    // The recipient does not exist.
    ['rcpt', '550 5.1.1 User unknown', 'suppress', '550 5.1.1'],
    ['rcpt', '550 5.1.2 Bad domain', 'suppress', '550 5.1.2'],
    ['rcpt', '550 5.1.3 Bad address', 'suppress', '550 5.1.3'],
    ['rcpt', '550 5.1.6 Moved', 'suppress', '550 5.1.6'],
    ['rcpt', '550 5.1.10 Null MX', 'suppress', '550 5.1.10'],
    ['rcpt', '550 5.4.1 Not hosted', 'suppress', '550 5.4.1'],
    ['rcpt', '554 5.2.1 Mailbox disabled', 'suppress', '554 5.2.1'],
    ['rcpt', '521 5.3.2 Accepts no mail', 'suppress', '521 5.3.2'],
    ['rcpt', '556 Domain does not accept mail', 'suppress', '556'],
    ['handed_over', '550 5.1.1 User unknown', 'suppress', '550 5.1.1'],
    ['rcpt', '550 No such user here', 'suppress', '550'],
    ['rcpt', '550 Requested action not taken: mailbox unavailable', 'suppress', '550'],
    // Words decide only without an enhanced code, and only when they are plain.
    ['rcpt', '550 Go away', 'rejected', '550'],
    ['rcpt', '550 User unknown: relaying denied by policy', 'rejected', '550'],
    ['rcpt', '550 5.7.1 No such user, says our policy', 'rejected', '550 5.7.1'],
    // Never counted against the address.
    ['rcpt', '553 5.1.3 Bad address syntax', 'rejected', '553 5.1.3'],
    ['rcpt', '554 5.7.1 Relay access denied', 'rejected', '554 5.7.1'],
    ['handed_over', '550 5.7.26 DMARC', 'rejected', '550 5.7.26'],
    ['handed_over', '550 5.7.515 Bulk rules', 'rejected', '550 5.7.515'],
    ['handed_over', '552 5.3.4 Too large', 'rejected', '552 5.3.4'],
    ['handed_over', '552 Too much mail data', 'rejected', '552'],
    ['handed_over', '554 5.2.3 Too large', 'rejected', '554 5.2.3'],
    ['rcpt', '550 5.6.7 Non-ASCII address', 'rejected', '550 5.6.7'],
    ['rcpt', '501 5.5.4 Syntax', 'rejected', '501 5.5.4'],
    ['data', '503 5.5.1 Bad sequence', 'rejected', '503 5.5.1'],
    ['mail', '555 5.5.4 Parameters', 'rejected', '555 5.5.4'],
    ['mail', '552 5.3.4 Too large', 'rejected', '552 5.3.4'],
    // The server will not have us, or our sender.
    ['greeting', '554 No SMTP service here', 'broken', '554'],
    ['greeting', '521 5.3.2 Accepts no mail', 'broken', '521 5.3.2'],
    ['auth', '535 5.7.8 Bad credentials', 'broken', '535 5.7.8'],
    ['auth', '534 5.7.9 Mechanism too weak', 'broken', '534 5.7.9'],
    ['auth', '504 5.5.4 Unknown mechanism', 'broken', '504 5.5.4'],
    ['mail', '530 5.7.0 Authentication required', 'broken', '530 5.7.0'],
    ['rcpt', '530 5.7.0 Authentication required', 'broken', '530 5.7.0'],
    ['mail', '550 5.1.1 Sender unknown', 'broken', '550 5.1.1'],
    ['mail', '550 5.7.1 Sender not allowed', 'broken', '550 5.7.1'],
    ['mail', '553 Sender address rejected', 'broken', '553'],
  ])('%s: %s → %s', (stage, text, kind, code) => {
    expect(classify(reply(stage, text))).toMatchObject({ kind, code, detail: text });
  });

  it.each(['450 4.7.1 Try later', '451 4.7.1 Greylisting in action', '450 Greylisted'])(
    '%s waits for the greylist',
    (text) => {
      expect(classify(reply('rcpt', text))).toMatchObject({ kind: 'retry', atLeastMs: 300_000 });
    },
  );

  it.each<[string, true | undefined]>([
    ['450 4.7.1 Greylisted', true],
    ['452 4.2.2 Mailbox full', true],
    ['552 5.2.2 Mailbox full', true],
    ['451 4.3.0 Local error', undefined],
  ])('%s is about the recipient: %s', (text, recipient) => {
    expect((classify(reply('rcpt', text)) as { recipient?: true }).recipient).toBe(recipient);
  });
});

describe('a failure without a reply becomes an outcome', () => {
  it.each<[SmtpStage, SmtpReply['kind'], string]>([
    ['connect', 'lost', 'retry'],
    ['connect', 'timeout', 'retry'],
    ['connect', 'dns', 'broken'],
    ['connect', 'blocked', 'broken'],
    ['greeting', 'timeout', 'retry'],
    ['greeting', 'tls', 'retry'],
    ['auth', 'lost', 'retry'],
    ['auth', 'no_auth', 'broken'],
    ['auth', 'no_tls', 'broken'],
    ['rcpt', 'lost', 'retry'],
    ['rcpt', 'local', 'rejected'],
    ['rcpt', 'smtputf8', 'rejected'],
    ['data', 'lost', 'retry'],
    ['data', 'timeout', 'retry'],
    ['data', 'stopped', 'retry'],
    ['handed_over', 'lost', 'ambiguous'],
    ['handed_over', 'timeout', 'ambiguous'],
    ['handed_over', 'tls', 'ambiguous'],
    ['handed_over', 'stopped', 'ambiguous'],
  ])('%s: %s → %s', (stage, kind, expected) => {
    expect(classify({ stage, kind, reply: '', detail: 'why' })).toMatchObject({
      kind: expected,
      detail: 'why',
      code: kind,
    });
  });
});

it('a reply of several lines is shown as one, and not endlessly', () => {
  expect(oneLineReply('550-5.1.1 The address\r\n550-5.1.1 does not\n550 5.1.1 exist')).toBe(
    '550 5.1.1 The address does not exist',
  );
  expect(oneLineReply('554-no\n554 thanks')).toBe('554 no thanks');
  expect(oneLineReply(`250 ${'x'.repeat(1000)}`)).toHaveLength(300);
});
