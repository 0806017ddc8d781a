import type { ProviderCarrier, SmsMessage } from '../../src/channels/contract.ts';
import { createOutbound, type Outbound } from '../../src/channels/http.ts';
import { createSmsoneCarrier } from '../../src/channels/sms/providers/smsone/index.ts';
import { createSmstwoCarrier } from '../../src/channels/sms/providers/smstwo/index.ts';
import type { HttpSimulator } from '../simulators/http-simulator.ts';
import { type SmsoneSimulator, startSmsoneSimulator } from '../simulators/smsone.ts';
import { type SmstwoSimulator, startSmstwoSimulator } from '../simulators/smstwo.ts';
import { type Bench, examine, idNumber, wrongSecret } from './exam.ts';
import { httpMishaps, provokeHttp, says } from './http-bench.ts';

interface SmsBench<Simulator extends HttpSimulator> extends Bench {
  simulator: Simulator;
}

const message = (changes: Partial<SmsMessage> = {}): SmsMessage => ({
  channel: 'sms',
  notificationId: idNumber(1),
  environmentId: '0198aaaa-0000-7000-8000-00000000000e',
  attempt: 1,
  to: { address: '+447700900123', name: null },
  from: '+14155550100',
  text: 'Hello',
  ...changes,
});

interface Making {
  secret: string;
  apiUrl: string;
  context: { outbound: Outbound; clock: () => number; timeoutMs?: number };
}

function benchOf<Simulator extends HttpSimulator & { received: unknown[] }>(
  simulator: Simulator,
  secret: string,
  create: (making: Making) => ProviderCarrier,
  echoed: (text: string) => unknown,
): SmsBench<Simulator> {
  const outbound = createOutbound({ policy: 'loopback' });
  return {
    simulator,
    secret,
    carrier: ({ wrong, unreachable, timeoutMs } = {}) =>
      create({
        secret: wrong ? wrongSecret : secret,
        apiUrl: unreachable ? 'http://127.0.0.1:1' : simulator.url,
        context: { outbound, clock: Date.now, ...(timeoutMs ? { timeoutMs } : {}) },
      }),
    message,
    taken: () => simulator.received.length,
    provoke: (mishap) => provokeHttp(simulator, mishap),
    recover() {
      simulator.fault = null;
    },
    hung: () => simulator.hung(),
    echo(text) {
      simulator.fault = { status: 400, body: echoed(text) };
    },
    async stop() {
      await outbound.stop();
      await simulator.stop();
    },
  };
}

async function smsoneBench(): Promise<SmsBench<SmsoneSimulator>> {
  const simulator = await startSmsoneSimulator();
  return benchOf(
    simulator,
    simulator.authToken,
    ({ secret, apiUrl, context }) =>
      createSmsoneCarrier(
        'smsone',
        { accountSid: simulator.accountSid, authToken: secret, apiUrl, callbackUrl: null },
        context,
      ),
    (text) => ({ code: 21612, message: text, status: 400 }),
  );
}

async function smstwoBench(): Promise<SmsBench<SmstwoSimulator>> {
  const simulator = await startSmstwoSimulator();
  return benchOf(
    simulator,
    simulator.apiSecret,
    ({ secret, apiUrl, context }) =>
      createSmstwoCarrier(
        'smstwo',
        { apiKey: simulator.apiKey, apiSecret: secret, signatureSecret: null, apiUrl, callbackUrl: null },
        context,
      ),
    (text) => ({ messages: [{ status: '3', 'error-text': text }], 'error-code-label': text }),
  );
}

const smsoneError = (status: number, code: number) => says({ status, body: { code, message: 'no', status } });

examine({
  provider: 'smsone',
  idempotent: false,
  start: smsoneBench,
  mishaps: httpMishaps(),
  refusals: (
    [
      ['wrong credentials', 401, 20003, { kind: 'broken' }],
      ['an account that is not active', 403, 20005, { kind: 'broken' }],
      ['a sender that is not ours', 400, 21606, { kind: 'broken' }],
      ['an unregistered number', 400, 30034, { kind: 'broken' }],
      ['too many calls at once', 429, 20429, { kind: 'throttled', retryAfterMs: null }],
      ['a full queue', 400, 21611, { kind: 'throttled' }],
      ['the cap of the day', 400, 63038, { kind: 'throttled', retryAfterMs: 3_600_000 }],
      ['a failure of the service', 503, 20503, { kind: 'retry' }],
      ['a timeout behind it', 400, 30410, { kind: 'retry' }],
      ['an invalid number', 400, 21211, { kind: 'suppress', reason: 'hard_bounce' }],
      ['a landline', 400, 21614, { kind: 'suppress', reason: 'hard_bounce' }],
      ['somebody who replied STOP', 400, 21610, { kind: 'suppress', reason: 'unsubscribed' }],
      ['refused content', 400, 21618, { kind: 'rejected' }],
      ['a region that is not enabled', 400, 21408, { kind: 'rejected' }],
      ['a code that nobody knows', 400, 99999, { kind: 'rejected', code: '99999' }],
    ] as const
  ).map(([title, status, code, outcome]) => ({ title, provoke: smsoneError(status, code), outcome })),
});

const smstwoStatus =
  (...statuses: string[]) =>
  ({ simulator }: { simulator: SmstwoSimulator }): void => {
    simulator.statuses = statuses;
  };

examine({
  provider: 'smstwo',
  idempotent: false,
  start: smstwoBench,
  mishaps: httpMishaps(),
  refusals: (
    [
      ['throttled', ['1'], { kind: 'throttled', retryAfterMs: null }],
      ['too many binds', ['10'], { kind: 'throttled' }],
      ['an internal error', ['5'], { kind: 'retry' }],
      ['wrong credentials', ['4'], { kind: 'broken' }],
      ['no credit left', ['9'], { kind: 'broken' }],
      ['a sender that is not allowed', ['15'], { kind: 'broken' }],
      ['a parameter that is wrong', ['3'], { kind: 'rejected' }],
      ['no route', ['6'], { kind: 'rejected' }],
      ['a barred number', ['7'], { kind: 'suppress', reason: 'hard_bounce' }],
      ['a number no longer in use', ['33'], { kind: 'suppress', reason: 'hard_bounce' }],
      ['some parts taken and others not', ['0', '1'], { kind: 'ambiguous' }],
    ] as const
  ).map(([title, statuses, outcome]) => ({ title, provoke: smstwoStatus(...statuses), outcome })),
});
