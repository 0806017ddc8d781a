import type { Carrier, Outcome } from '../contract.ts';
import type { ChatoneMessage } from '../message.ts';
import { lostAnswer } from '../outcomes.ts';
import { type ChatoneApi, describeAnswer, type SlackAnswer, scopesOf } from './api.ts';
import { blocksProblem, postOf } from './payload.ts';

interface ChatoneCarrierOptions {
  api: ChatoneApi;
  name: string;
  rateLimitKey: string;
  autoJoin: boolean;
  /**
   * Returns the current bot token, or an outcome when there is none. `stale` is the token that the service has just called
   * expired.
   */
  token(stale: string | null): Promise<string | { outcome: Outcome }>;
}

/** Posts as the bot of one workspace. The service has no idempotency key, so an open attempt is never simply repeated. */
export function createChatoneCarrier({
  api,
  name,
  rateLimitKey,
  autoJoin,
  token,
}: ChatoneCarrierOptions): Carrier {
  async function deliver(message: ChatoneMessage, bearer: string, signal: AbortSignal): Promise<Sent> {
    const post = () => api.call('chat.postMessage', { token: bearer, args: postOf(message), signal });
    const channel = message.to.address;
    const first = await post();
    if (!isError(first, 'not_in_channel') || !autoJoin || !channel.startsWith('C')) return { answer: first };
    const joined = await api.call('conversations.join', { token: bearer, args: { channel }, signal });
    if (joined.kind !== 'ok') return { outcome: outcomeOfJoin(joined) };
    return { answer: await post() };
  }

  return {
    name,
    kind: 'chatone',
    idempotent: false,
    rateLimitKey,
    async send(message: ChatoneMessage, signal) {
      const problem = blocksProblem(message.blocks);
      if (problem)
        return { kind: 'rejected', detail: `The blocks cannot be sent: ${problem}.`, code: 'blocks' };
      const bearer = await token(null);
      if (typeof bearer !== 'string') return bearer.outcome;
      const sent = await deliver(message, bearer, signal);
      if (!('answer' in sent) || !isError(sent.answer, 'token_expired')) return settled(sent);
      const renewed = await token(bearer);
      if (typeof renewed !== 'string') return renewed.outcome;
      return settled(await deliver(message, renewed, signal));
    },
  };
}

type Sent = { answer: SlackAnswer } | { outcome: Outcome };

function isError(answer: SlackAnswer, code: string): boolean {
  return answer.kind === 'error' && answer.code === code;
}

function settled(sent: Sent): Outcome {
  if ('outcome' in sent) return sent.outcome;
  if (sent.answer.kind !== 'ok') return outcomeOf(sent.answer);
  const { channel, ts } = sent.answer.body;
  const id = typeof channel === 'string' && typeof ts === 'string' ? `${channel}/${ts}`.slice(0, 200) : null;
  const detail = 'Posted.';
  return {
    kind: 'accepted',
    providerMessageId: id,
    detail,
    code: '200',
    receipts: [{ type: 'Delivered', detail }],
  };
}

type Refusal = Exclude<SlackAnswer, { kind: 'ok' }>;

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** The service's error codes by outcome. A code in none of these sets is a refusal of this message. */
const later = words('service_unavailable request_timeout');
const muchLater = words('team_added_to_org org_login_required');
const muchLaterMs = 3_600_000;
const throttling = words('ratelimited rate_limited');
/** The service states that part of the call may have taken effect. */
const unknown = words('fatal_error internal_error');
const broken = words(`
  invalid_auth not_authed account_inactive token_revoked token_expired missing_scope no_permission not_allowed_token_type
  access_denied accesslimited two_factor_setup_required enterprise_is_restricted team_access_not_granted team_not_found`);
/** No call with this token can succeed again. */
const gone = words('invalid_auth account_inactive token_revoked');

const hints: Record<string, string> = {
  not_in_channel: 'Invite the bot to the channel.',
  channel_not_found: 'The channel does not exist, or it is private and the bot has not been invited.',
  is_archived: 'The channel is archived.',
  token_revoked: 'Install the app again.',
  account_inactive: 'The app was removed from the workspace; install it again.',
  invalid_auth: 'Install the app again.',
  token_expired: 'The token has expired and cannot be renewed; install the app again.',
  app_uninstalled: 'The app was removed from the workspace; install it again.',
};

export function isGone(code: string | null): boolean {
  return code !== null && gone.has(code);
}

/** Maps an answer to the outcome of the message. */
function outcomeOf(answer: Refusal): Outcome {
  const detail = describeAnswer(answer);
  switch (answer.kind) {
    case 'failure':
      return lostAnswer(answer);
    case 'throttled':
      return { kind: 'throttled', detail, code: '429', retryAfterMs: answer.retryAfterMs };
    case 'unreadable':
      return { kind: 'ambiguous', detail, code: '200' };
    case 'status':
      return {
        kind: answer.status >= 500 || answer.status === 408 ? 'retry' : 'broken',
        detail,
        code: String(answer.status),
      };
    case 'error':
      return ofCode(answer.code, sentenceOf(answer));
  }
}

function ofCode(code: string, detail: string): Outcome {
  if (throttling.has(code)) return { kind: 'throttled', detail, code, retryAfterMs: null };
  if (later.has(code)) return { kind: 'retry', detail, code };
  if (muchLater.has(code)) return { kind: 'retry', detail, code, retryAfterMs: muchLaterMs };
  if (unknown.has(code)) return { kind: 'ambiguous', detail, code };
  if (broken.has(code)) return { kind: 'broken', detail, code };
  return { kind: 'rejected', detail, code };
}

function sentenceOf({ code, body }: Extract<Refusal, { kind: 'error' }>): string {
  if (code === 'missing_scope') {
    const needed = scopesOf(body.needed).join(', ');
    return `missing_scope: The app lacks the scope ${needed || 'that it needs'}; install it again with this scope.`;
  }
  const hint = Object.hasOwn(hints, code) ? hints[code] : null;
  return hint ? `${code}: ${hint}` : `The service rejects the call: ${code}.`;
}

/** The bot could not join, so nothing was posted; only transient errors are retried. */
function outcomeOfJoin(answer: Refusal): Outcome {
  const outcome = answer.kind === 'error' && answer.code === 'missing_scope' ? null : outcomeOf(answer);
  if (outcome?.kind === 'broken' || outcome?.kind === 'throttled' || outcome?.kind === 'retry')
    return outcome;
  if (outcome?.kind === 'ambiguous') return { kind: 'retry', detail: outcome.detail, code: outcome.code };
  const code = answer.kind === 'error' ? answer.code : null;
  return {
    kind: 'rejected',
    detail: `not_in_channel: The bot is not in the channel and cannot join it (${code ?? 'refused'}). Invite it.`,
    code: 'not_in_channel',
  };
}
