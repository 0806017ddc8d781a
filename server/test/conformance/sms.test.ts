import type { Outcome, ProviderCarrier, SmsMessage } from '../../src/channels/contract.ts';
import { createOutbound, type Outbound } from '../../src/channels/http.ts';
import { createSmsoneCarrier } from '../../src/channels/sms/providers/smsone/carrier.ts';
import { createSmstwoCarrier } from '../../src/channels/sms/providers/smstwo/carrier.ts';
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

/** Every error code that the service documents. */
const smsoneCodes: [Outcome['kind'], number, number[]][] = [
  ['throttled', 429, [20429]],
  ['throttled', 400, [30001, 21611, 30022, 63017, 63018, 60728, 63038]],
  ['retry', 503, [20500, 20503]],
  ['retry', 400, [14107, 30410, 30003, 30008]],
  ['suppress', 400, [21610, 30005, 30006, 21614, 21211, 21217, 21635]],
  [
    'rejected',
    400,
    [30007, 21602, 21619, 21617, 21618, 21612, 21408, 21604, 21620, 21623, 30011, 30012, 30450],
  ],
  ['rejected', 400, [30004]], // to be suppressed on repetition only
  ['broken', 401, [20003]],
  ['broken', 403, [20005, 30002]],
  ['broken', 404, [20006, 20404]],
  [
    'broken',
    400,
    [21603, 21606, 21212, 21659, 21607, 21608, 21703, 21704, 21705, 30032, 30034, 30024, 21609],
  ],
];

examine({
  provider: 'smsone',
  idempotent: false,
  start: smsoneBench,
  mishaps: httpMishaps(),
  refusals: [
    ...smsoneCodes.flatMap(([kind, status, codes]) =>
      codes.map((code) => ({
        title: `${status} ${code}`,
        provoke: smsoneError(status, code),
        outcome: { kind, code: String(code) },
      })),
    ),
    {
      title: 'somebody who replied STOP',
      provoke: smsoneError(400, 21610),
      outcome: { kind: 'suppress', reason: 'unsubscribed' },
    },
    {
      title: 'the cap of the day',
      provoke: smsoneError(400, 63038),
      outcome: { kind: 'throttled', retryAfterMs: 3_600_000 },
    },
    {
      title: 'a code that nobody knows',
      provoke: smsoneError(400, 99999),
      outcome: { kind: 'rejected', code: '99999' },
    },
    { title: 'a timeout of the request', provoke: says({ status: 408 }), outcome: { kind: 'retry' } },
    {
      title: 'a success that names no message',
      provoke: says({ status: 201, body: { error_code: null } }),
      outcome: { kind: 'ambiguous' },
    },
  ],
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
      // Every error code that the service documents.
      ...['1', '10'].map((status) => [`status ${status}`, [status], { kind: 'throttled' }] as const),
      ['status 5', ['5'], { kind: 'retry' }],
      ...['4', '8', '9', '11', '14', '32', '15', '29'].map(
        (status) => [`status ${status}`, [status], { kind: 'broken' }] as const,
      ),
      ...['2', '3', '6', '12', '22', '23'].map(
        (status) => [`status ${status}`, [status], { kind: 'rejected' }] as const,
      ),
      ...['7', '33'].map(
        (status) => [`status ${status}`, [status], { kind: 'suppress', reason: 'hard_bounce' }] as const,
      ),
      ['some parts taken and others not', ['0', '1'], { kind: 'ambiguous' }],
    ] as const
  ).map(([title, statuses, outcome]) => ({ title, provoke: smstwoStatus(...statuses), outcome })),
});
