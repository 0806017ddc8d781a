import { createChatoneApi, createChatoneCarrier, describeAnswer } from '../../src/channels/chatone/index.ts';
import { createChatthreeCarrier } from '../../src/channels/chatthree/index.ts';
import { createChattwoCarrier } from '../../src/channels/chattwo/index.ts';
import type { Carrier, Message, Outcome, ProviderCarrier } from '../../src/channels/contract.ts';
import { createOutbound, type Outbound } from '../../src/channels/http.ts';
import { startChatoneSimulator } from '../simulators/chatone.ts';
import { startChatthreeSimulator } from '../simulators/chatthree.ts';
import { startChattwoSimulator } from '../simulators/chattwo.ts';
import type { HttpSimulator } from '../simulators/http-simulator.ts';
import { says } from '../simulators/simulation.ts';
import { type Bench, examine, idNumber, wrongSecret } from './exam.ts';
import { httpMishaps, provokeHttp } from './http-bench.ts';

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

/** Only a message shows whether a webhook works, so these settings are not verified. */
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
        rateLimitKey: 'installation:U0ADA',
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
          rateLimitKey: 'endpoint',
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
          rateLimitKey: 'endpoint',
          publicUrl: () => 'https://notify.acme.example',
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

/** Every error code that the service documents. */
const chatoneCodes: [Outcome['kind'], string][] = [
  ['throttled', 'ratelimited rate_limited'],
  ['retry', 'service_unavailable request_timeout team_added_to_org org_login_required'],
  ['ambiguous', 'fatal_error internal_error'],
  [
    'rejected',
    `not_in_channel channel_not_found is_archived user_not_found users_not_found user_disabled user_not_visible cannot_dm_bot
     messages_tab_disabled restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel
     restricted_action_non_threadable_channel restricted_action_thread_locked ekm_access_denied cannot_reply_to_message
     method_not_supported_for_channel_type too_many_members invalid_user_combination not_enough_users too_many_users
     users_list_not_supplied message_limit_exceeded app_access_restricted`,
  ],
  [
    'rejected',
    `no_text msg_too_long msg_blocks_too_long invalid_blocks invalid_blocks_format too_many_attachments
     attachment_payload_limit_exceeded invalid_metadata_format invalid_metadata_schema metadata_too_large
     markdown_text_conflict invalid_arguments invalid_arg_name invalid_array_arg invalid_charset invalid_form_data
     invalid_json json_not_object invalid_post_type missing_post_type unknown_method method_deprecated deprecated_endpoint
     as_user_not_supported slack_connect_file_link_sharing_blocked`,
  ],
  [
    'broken',
    `invalid_auth not_authed account_inactive token_revoked token_expired missing_scope no_permission not_allowed_token_type
     access_denied accesslimited two_factor_setup_required enterprise_is_restricted team_access_not_granted team_not_found`,
  ],
];

examine({
  provider: 'chatone',
  idempotent: false,
  start: chatoneBench,
  mishaps: { ...httpMishaps, gateway_timeout: 'retry', half_answer: 'ambiguous' },
  refusals: chatoneCodes.flatMap(([kind, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => ({ title: code, provoke: chatoneError(code), outcome: { kind, code } })),
  ),
});

examine({
  provider: 'chattwo',
  idempotent: false,
  isUnverifiable: true,
  start: chattwoBench,
  // A workflow may answer 200 with any body.
  mishaps: {
    ...httpMishaps,
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
    { title: 'a trigger of another tenant', provoke: says({ status: 403 }), outcome: { kind: 'broken' } },
    { title: 'a workflow that is gone', provoke: says({ status: 410 }), outcome: { kind: 'broken' } },
    { title: 'a timeout of the request', provoke: says({ status: 408 }), outcome: { kind: 'retry' } },
    { title: 'a call that came too early', provoke: says({ status: 425 }), outcome: { kind: 'retry' } },
    {
      title: 'a failure in a 200',
      provoke: says({ status: 200, body: 'endpoint returned HTTP error 502' }),
      outcome: { kind: 'retry' },
    },
    {
      title: 'a card that is too large in a 200',
      provoke: says({ status: 200, body: 'endpoint returned HTTP error 413' }),
      outcome: { kind: 'rejected' },
    },
    {
      title: 'a limit in a 200',
      provoke: says({ status: 200, body: 'endpoint returned HTTP error 429' }),
      outcome: { kind: 'throttled' },
    },
  ],
});

const chatthreeError = (status: number, code: number) => says({ status, body: { code, message: 'no' } });

/** Every error code that the service documents. */
const chatthreeCodes: [Outcome['kind'], number, number[]][] = [
  ['broken', 404, [10015]],
  ['broken', 401, [50027]],
  ['broken', 403, [50013, 50001]],
  ['rejected', 400, [50035, 50006, 50109, 50008, 50068, 220001, 220002, 220003, 220004]],
  ['rejected', 400, [10003, 10008, 50083, 160005, 200000, 200001, 240000, 20009, 40067, 40005, 50045]],
  ['rejected', 413, [40005, 50045]],
  ['throttled', 429, [20016, 20028, 40062, 130000]],
];

examine({
  provider: 'chatthree',
  idempotent: false,
  isUnverifiable: true,
  start: chatthreeBench,
  mishaps: { ...httpMishaps, gateway_timeout: 'retry' },
  refusals: [
    ...chatthreeCodes.flatMap(([kind, status, codes]) =>
      codes.map((code) => ({
        title: `${status} ${code}`,
        provoke: chatthreeError(status, code),
        outcome: { kind, code: String(code) },
      })),
    ),
    {
      title: 'the limit of all calls from this address',
      provoke: says({ status: 429, body: { message: 'no', retry_after: 0.25, global: true } }),
      outcome: { kind: 'throttled', retryAfterMs: 250, isForAll: true },
    },
  ],
});
