import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { emailMessage, startEmailBench } from '../../../../../test/conformance/email-bench.ts';
import { ses } from '../../../../../test/simulators/ses.ts';

it('ses writes From as it was asked to, with the display name', async () => {
  const bench = await startEmailBench(ses);
  const from = { address: 'no-reply@bücher.example', name: 'Bücher, "und" mehr' };
  await bench.carrier().send(emailMessage({ from }), new AbortController().signal);
  await bench.stop();
  const request = bench.simulator.received[0]?.request;
  expect((await PostalMime.parse(request.mime)).from).toMatchObject({
    name: from.name,
    address: 'no-reply@xn--bcher-kva.example',
  });
  expect(request.FromEmailAddress).toMatch(/^[\x20-\x7e]+ <no-reply@xn--bcher-kva\.example>$/);
});
