import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmailBench,
  emailMessage,
  startEmailBench,
} from '../../../../../test/conformance/email-bench.ts';
import { sendgrid } from '../../../../../test/simulators/sendgrid.ts';
import type { Outcome } from '../../../contract.ts';
import type { EmailMessage } from '../../../message.ts';

describe('sendgrid', () => {
  let bench: EmailBench;
  beforeEach(async () => {
    bench = await startEmailBench(sendgrid);
  });
  afterEach(() => bench.stop());

  const deliver = (changes: Partial<EmailMessage>): Promise<Outcome> =>
    bench.carrier().send(emailMessage(changes), new AbortController().signal);

  it.each(['Lovelace, Ada', 'a; b', 'say "hi", \\ Ada'])(
    'keeps the recipient %j one recipient',
    async (name) => {
      expect(await deliver({ to: { address: 'ada@example.com', name } })).toMatchObject({ kind: 'accepted' });
      expect(bench.simulator.received[0]?.request.personalizations[0].to).toEqual([
        { email: 'ada@example.com', name: `"${name.replace(/["\\]/g, '\\$&')}"` },
      ]);
    },
  );

  it('is never given an empty attachment', async () => {
    const attachments = [{ filename: 'empty.csv', contentType: 'text/csv', bytes: Buffer.alloc(0) }];
    expect(await deliver({ attachments })).toMatchObject({
      kind: 'rejected',
      code: 'message',
      detail: expect.stringContaining('empty.csv'),
    });
    expect(bench.simulator.calls()).toBe(0);
  });
});
