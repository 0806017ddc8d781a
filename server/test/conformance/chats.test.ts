import { createChatoneApi, createChatoneCarrier, describeAnswer } from '../../src/channels/chatone/index.ts';
import { createChatthreeCarrier } from '../../src/channels/chatthree/index.ts';
import { createChattwoCarrier } from '../../src/channels/chattwo/index.ts';
import type { Carrier, Message, ProviderCarrier } from '../../src/channels/contract.ts';
import { createOutbound, type Outbound } from '../../src/channels/http.ts';
import { startChatoneSimulator } from '../simulators/chatone.ts';
import { startChatthreeSimulator } from '../simulators/chatthree.ts';
import { startChattwoSimulator } from '../simulators/chattwo.ts';
import type { HttpSimulator } from '../simulators/http-simulator.ts';
import { type Bench, examine, idNumber, wrongSecret } from './exam.ts';
import { httpMishaps, provokeHttp, says } from './http-bench.ts';

interface ChatBench extends Bench {
  simulator: HttpSimulator;
}

interface Making {
  outbound: Outbound;
  secret: string;
  unreachable: boolean;
  timeoutMs?: number;
}

const common = {
  environmentId: '0198aaaa-0000-7000-8000-00000000000e',
  attempt: 1,
  to: { address: 'U0ADA', name: null },
};
const card = { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'Hello' }] };
const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'Hello' } }];

/** Nothing but a message can tell whether a webhook works, so that no settings are verified there. */
const unverifiable = (carrier: Carrier): ProviderCarrier => ({
  ...carrier,
  verify: () => Promise.reject(new Error('there is nothing to verify with')),
  close: async () => {},
});

function benchOf(
  simulator: HttpSimulator,
  secret: string,
  parts: {
    create(making: Making): ProviderCarrier;
    message(notificationId: string): Message;
    taken(): number;
    echoed(text: string): unknown;
  },
): ChatBench {
  const outbound = createOutbound({ policy: 'loopback' });
  return {
    simulator,
    secret,
    carrier: ({ wrong, unreachable = false, timeoutMs } = {}) =>
      parts.create({
        outbound,
        secret: wrong ? wrongSecret : secret,
        unreachable,
        ...(timeoutMs ? { timeoutMs } : {}),
      }),
    message: ({ notificationId = idNumber(1) } = {}) => parts.message(notificationId),
    taken: parts.taken,
    provoke: (mishap) => provokeHttp(simulator, mishap),
    recover() {
      simulator.fault = null;
    },
    hung: () => simulator.hung(),
    echo(text) {
      simulator.fault = { status: 400, body: parts.echoed(text) };
    },
    async stop() {
      await outbound.stop();
      await simulator.stop();
    },
  };
}

async function chatoneBench(): Promise<ChatBench> {
  const simulator = await startChatoneSimulator({ burst: 100 });
  const { token } = simulator.addToken();
  return benchOf(simulator, token, {
    create({ outbound, secret, unreachable, timeoutMs }) {
      const base = unreachable ? 'http://127.0.0.1:1/api' : simulator.apiUrl;
      const api = createChatoneApi(outbound, base, Date.now, timeoutMs);
      const carrier = createChatoneCarrier({
        api,
        name: 'chatone:T0TEAM',
        pace: 'installation:U0ADA',
        autoJoin: false,
        token: async () => secret,
      });
      return {
        ...carrier,
        // As an installation by token is checked.
        async verify() {
          const answer = await api.call('auth.test', { token: secret });
          return answer.kind === 'ok'
            ? { ok: true, detail: 'The token works.' }
            : { ok: false, detail: describeAnswer(answer) };
        },
        close: async () => {},
      };
    },
    message: (notificationId) => ({ ...common, channel: 'chatone', notificationId, blocks, text: 'Hello' }),
    taken: () => simulator.posts.length,
    echoed: (error) => ({ ok: false, error }),
  });
}

async function chattwoBench(): Promise<ChatBench> {
  const simulator = await startChattwoSimulator();
  const flow = simulator.addFlow();
  return benchOf(simulator, flow.sig, {
    create: ({ outbound, secret, unreachable, timeoutMs }) =>
      unverifiable(
        createChattwoCarrier({
          outbound,
          clock: Date.now,
          name: 'chattwo:ops',
          pace: 'endpoint',
          url: (unreachable ? flow.url.replace(simulator.url, 'http://127.0.0.1:1') : flow.url).replace(
            flow.sig,
            secret,
          ),
          ...(timeoutMs ? { timeoutMs } : {}),
        }),
      ),
    message: (notificationId) => ({ ...common, channel: 'chattwo', notificationId, card }),
    taken: () => simulator.runs.length,
    echoed: (message) => ({ error: { code: 'InvalidRequestContent', message } }),
  });
}

async function chatthreeBench(): Promise<ChatBench> {
  const simulator = await startChatthreeSimulator({ burst: 100 });
  const webhook = simulator.addWebhook();
  return benchOf(simulator, webhook.token, {
    create: ({ outbound, secret, unreachable, timeoutMs }) =>
      unverifiable(
        createChatthreeCarrier({
          outbound,
          clock: Date.now,
          name: 'chatthree:ops',
          pace: 'endpoint',
          url: `${unreachable ? 'http://127.0.0.1:1' : simulator.url}/api/webhooks/${webhook.id}/${secret}`,
          ...(timeoutMs ? { timeoutMs } : {}),
        }),
      ),
    message: (notificationId) => ({
      ...common,
      channel: 'chatthree',
      notificationId,
      content: 'Hello',
      embeds: null,
      username: null,
      avatarUrl: null,
    }),
    taken: () => simulator.posts.length,
    echoed: (message) => ({ code: 50035, message }),
  });
}

const chatoneError = (error: string) => says({ status: 200, body: { ok: false, error } });

examine({
  provider: 'chatone',
  idempotent: false,
  start: chatoneBench,
  mishaps: { ...httpMishaps(), gateway_timeout: 'retry' },
  refusals: [
    {
      title: 'a channel that is archived',
      provoke: chatoneError('is_archived'),
      outcome: { kind: 'rejected' },
    },
    {
      title: 'a channel it is not in',
      provoke: chatoneError('not_in_channel'),
      outcome: { kind: 'rejected' },
    },
    {
      title: 'blocks it cannot read',
      provoke: chatoneError('invalid_blocks'),
      outcome: { kind: 'rejected' },
    },
    { title: 'a revoked token', provoke: chatoneError('token_revoked'), outcome: { kind: 'broken' } },
    { title: 'a missing scope', provoke: chatoneError('missing_scope'), outcome: { kind: 'broken' } },
    { title: 'a limit in a 200', provoke: chatoneError('ratelimited'), outcome: { kind: 'throttled' } },
    { title: 'a failure', provoke: chatoneError('service_unavailable'), outcome: { kind: 'retry' } },
    { title: 'half a failure', provoke: chatoneError('fatal_error'), outcome: { kind: 'ambiguous' } },
  ],
});

examine({
  provider: 'chattwo',
  idempotent: false,
  isUnverifiable: true,
  start: chattwoBench,
  // A workflow may answer 200 with whatever its maker likes.
  mishaps: {
    ...httpMishaps(),
    gateway_timeout: 'retry',
    malformed_answer: 'accepted',
    empty_answer: 'accepted',
  },
  refusals: [
    {
      title: 'a card that its schema refuses',
      provoke: says({ status: 400 }),
      outcome: { kind: 'rejected' },
    },
    { title: 'a card that is too large', provoke: says({ status: 413 }), outcome: { kind: 'rejected' } },
    { title: 'a workflow that is off', provoke: says({ status: 404 }), outcome: { kind: 'broken' } },
    { title: 'a trigger for its tenant alone', provoke: says({ status: 401 }), outcome: { kind: 'broken' } },
    {
      title: 'a limit in a 200',
      provoke: says({ status: 200, body: 'endpoint returned HTTP error 429' }),
      outcome: { kind: 'throttled' },
    },
  ],
});

const chatthreeError = (status: number, code: number) => says({ status, body: { code, message: 'no' } });

examine({
  provider: 'chatthree',
  idempotent: false,
  isUnverifiable: true,
  start: chatthreeBench,
  mishaps: { ...httpMishaps(), gateway_timeout: 'retry' },
  refusals: [
    {
      title: 'a deleted webhook',
      provoke: chatthreeError(404, 10015),
      outcome: { kind: 'broken', code: '10015' },
    },
    { title: 'a missing permission', provoke: chatthreeError(403, 50013), outcome: { kind: 'broken' } },
    { title: 'a form it cannot read', provoke: chatthreeError(400, 50035), outcome: { kind: 'rejected' } },
    {
      title: 'a message that is too large',
      provoke: chatthreeError(413, 40005),
      outcome: { kind: 'rejected' },
    },
    {
      title: 'a forum without a thread',
      provoke: chatthreeError(400, 220001),
      outcome: { kind: 'rejected' },
    },
    { title: 'the word filter', provoke: chatthreeError(400, 200000), outcome: { kind: 'rejected' } },
    { title: 'slow mode', provoke: chatthreeError(429, 20016), outcome: { kind: 'throttled' } },
  ],
});
