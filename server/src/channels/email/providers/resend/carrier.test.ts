import { expect, it } from 'vitest';
import { emailMessage, startEmailBench } from '../../../../../test/conformance/email-bench.ts';
import { resend } from '../../../../../test/simulators/resend.ts';

it('resend knows a notification by its id', async () => {
  const bench = await startEmailBench(resend);
  await bench.carrier().send(emailMessage(), new AbortController().signal);
  await bench.stop();
  expect(bench.simulator.received[0]?.request.idempotencyKey).toBe(emailMessage().notificationId);
});
