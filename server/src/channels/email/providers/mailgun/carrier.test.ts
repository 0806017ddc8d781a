import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmailBench,
  emailMessage,
  startEmailBench,
} from '../../../../../test/conformance/email-bench.ts';
import { type MailgunSimulator, mailgun } from '../../../../../test/simulators/mailgun.ts';
import { createMailgunCarrier } from './carrier.ts';

describe('the check of a mailgun key', () => {
  let bench: EmailBench<MailgunSimulator>;
  beforeEach(async () => {
    bench = await startEmailBench(mailgun);
  });
  afterEach(() => bench.stop());

  it('takes a sending key, which may read nothing', async () => {
    const config = {
      apiKey: 'key-mailgun-sending',
      domain: 'mg.acme.example',
      baseUrl: bench.simulator.url,
    };
    const carrier = createMailgunCarrier('mailgun', config, { outbound: bench.outbound, clock: Date.now });
    expect(await carrier.verify()).toMatchObject({ ok: true, detail: expect.stringContaining('sending') });
    expect(await carrier.send(emailMessage(), new AbortController().signal)).toMatchObject({
      kind: 'accepted',
    });
  });

  it('does not take a domain that is not active', async () => {
    bench.simulator.state = 'unverified';
    expect(await bench.carrier().verify()).toEqual({
      ok: false,
      detail: 'The key is valid, but the domain is unverified.',
    });
  });
});
