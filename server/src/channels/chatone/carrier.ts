import type { Carrier, Outcome } from '../contract.ts';
import type { ChatoneMessage } from '../message.ts';
import type { ChatoneApi, SlackAnswer } from './api.ts';
import { outcomeOf, outcomeOfJoin } from './classify.ts';
import { postOf } from './payload.ts';
import { blocksProblem } from './shape.ts';

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
