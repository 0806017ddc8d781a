import type { ChatTargets, EndpointCarriers } from '../chat-endpoint-plan.ts';
import type { Carrier, Outcome } from '../contract.ts';
import { type Outbound, type OutboundAnswer, type OutboundFailure, parseRetryAfter } from '../http.ts';
import type { ChattwoMessage } from '../message.ts';
import { cutSuccess, lostAnswer, wholeRefusal } from '../outcomes.ts';
import { cardMessage, cardProblem } from './shape.ts';

interface ChattwoCarrierOptions {
  outbound: Outbound;
  clock: () => number;
  name: string;
  rateLimitKey: string;
  url: string;
  timeoutMs?: number;
}

const defaultTimeoutMs = 15_000;
const maxBytes = 4_096;

/** The Teams workflows behind endpoints. */
export function chattwoCarriers({
  clock,
  outbound,
  chatTargets,
}: Pick<ChattwoCarrierOptions, 'clock' | 'outbound'> & { chatTargets: ChatTargets }): EndpointCarriers {
  return (endpoint) => {
    const { id: rateLimitKey, key, url } = endpoint;
    if (url === null) return null;
    const carrier = createChattwoCarrier({ clock, outbound, name: `chattwo:${key}`, rateLimitKey, url });
    return chatTargets.health.observe(carrier, endpoint);
  };
}

/**
 * Hands cards to one workflow. The workflow confirms that it accepted a card, never that the card was shown, and has no
 * idempotency key.
 */
export function createChattwoCarrier(options: ChattwoCarrierOptions): Carrier {
  const { outbound, clock, name, rateLimitKey, url, timeoutMs = defaultTimeoutMs } = options;
  return {
    name,
    kind: 'chattwo',
    idempotent: false,
    rateLimitKey,
    async send(message: ChattwoMessage, signal) {
      const problem = cardProblem(message.card);
      if (problem) return { kind: 'rejected', detail: `The card cannot be sent: ${problem}.`, code: 'card' };
      const answer = await outbound.request({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Carillon/1.0' },
        body: JSON.stringify(cardMessage(message.card)),
        timeoutMs,
        maxBytes,
        signal,
      });
      return outcomeOf(wholeRefusal(answer), clock());
    },
  };
}

function outcomeOf(answer: OutboundAnswer | OutboundFailure, now: number): Outcome {
  const cut = cutSuccess(answer);
  if (cut) return taken(cut, String(cut.status));
  if (answer.kind === 'failure') return lostAnswer(answer);
  const { status } = answer;
  const code = String(status);
  if (status === 200 || status === 202) return taken(answer, code);
  const detail = sentences[status] ?? `The workflow returned ${status}.`;
  if (status === 429)
    return {
      kind: 'throttled',
      detail,
      code,
      retryAfterMs: parseRetryAfter(answer.headers['retry-after'], now),
    };
  if (status === 408 || status === 425 || status >= 500) return { kind: 'retry', detail, code };
  if (status === 400 || status === 413) return { kind: 'rejected', detail, code };
  return { kind: 'broken', detail, code };
}

const sentences: Record<number, string> = {
  400: 'The workflow rejects this card (400).',
  401: 'The workflow rejects the call (401): let anyone trigger it, and enter its URL again.',
  403: 'The workflow rejects the call (403): let anyone trigger it, and enter its URL again.',
  404: 'The workflow is deleted or turned off (404).',
  410: 'The workflow is gone (410).',
  413: 'The card is too large (413).',
  429: 'The workflow asks us to slow down (429).',
};

/** Old gateways answer 200 and put the real result into the text. */
function taken({ body, headers }: OutboundAnswer, code: string): Outcome {
  const text = body.toString('utf8');
  const inside = /HTTP error (\d{3})/.exec(text)?.[1];
  const detail = `The response was ${code}, but it contains an error ${inside}.`;
  if (inside === '429') return { kind: 'throttled', detail, code: inside, retryAfterMs: null };
  if (inside?.startsWith('5')) return { kind: 'retry', detail, code: inside };
  if (inside) return { kind: 'rejected', detail, code: inside };
  if (/^\s*<(?:!doctype|html)/i.test(text))
    return { kind: 'ambiguous', detail: `The response was ${code} with a web page.`, code };
  return {
    kind: 'accepted',
    providerMessageId: runIdOf(headers['x-ms-workflow-run-id']),
    detail: `The workflow accepted the card (${code}).`,
    code,
  };
}

/** The id by which the run can be found in the history of the workflow. */
function runIdOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && /^[\w-]{1,100}$/.test(header) ? header : null;
}

/** The kind of endpoint behind a URL. */
export type WebhookFlavour = 'WorkflowsVariantA' | 'WorkflowsVariantB' | 'LegacyConnector';

interface FurtherPattern {
  flavour: 'A' | 'B';
  pattern: RegExp;
}

/** Returns null when the URL is of no known kind. The URL itself is the secret, so it is never repeated. */
export function flavourOf(text: string, further: readonly FurtherPattern[]): WebhookFlavour | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const own = further.find(({ pattern }) => pattern.test(text));
  if (own) return own.flavour === 'A' ? 'WorkflowsVariantA' : 'WorkflowsVariantB';
  if (url.protocol !== 'https:' || url.username || url.password) return null;
  if (/^outlook\.office(?:365)?\.com$|\.webhook\.office\.com$/.test(url.hostname)) return 'LegacyConnector';
  if (url.port !== '') return null; // port 443 is parsed as no port
  if (/\.logic\.azure\.com$/.test(url.hostname) && url.pathname.startsWith('/workflows/'))
    return 'WorkflowsVariantA';
  if (/\.api\.powerplatform\.com$/.test(url.hostname) && url.pathname.includes('/workflows/'))
    return 'WorkflowsVariantB';
  return null;
}
