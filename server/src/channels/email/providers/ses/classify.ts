import type { ApiAnswer } from '../../../api.ts';
import type { Outcome } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import { messageIn, outcomeByStatus } from '../../api.ts';

/** The account, an identity or a configuration set is misconfigured: every message would fail. */
const brokenTypes = new Set([
  'AccountSuspendedException',
  'SendingPausedException',
  'MailFromDomainNotVerifiedException',
  'NotFoundException',
]);
const throttledTypes = new Set(['TooManyRequestsException', 'ThrottlingException', 'Throttling']);
const hourMs = 3_600_000;

/**
 * Extracts `MessageRejected` from `MessageRejected:http://…` in the header, or from `com.amazon…#MessageRejected` in the body.
 */
function typeOf({ headers, json }: ApiAnswer): string | null {
  const given = headers['x-amzn-errortype'] ?? textIn(json, '__type');
  return given?.split(':')[0]?.split('#').at(-1) || null;
}

export function classify(answer: ApiAnswer): Outcome {
  const { status, json } = answer;
  const type = typeOf(answer);
  const code = type ?? String(status);
  const detail = messageIn(answer, textIn(json, 'message') ?? textIn(json, 'Message'));
  const id = textIn(json, 'MessageId');
  if (status === 200 && id)
    return { kind: 'accepted', providerMessageId: id, detail: `200 ${id}`, code: '200' };
  const byStatus = outcomeByStatus(answer, { detail, code });
  if (type === null || status >= 500) return byStatus;
  if (throttledTypes.has(type) || type === 'LimitExceededException') {
    const isForLong = type === 'LimitExceededException' || /daily message quota/i.test(detail);
    const askedMs = byStatus.kind === 'throttled' ? byStatus.retryAfterMs : null;
    return { kind: 'throttled', detail, code, retryAfterMs: askedMs ?? (isForLong ? hourMs : null) };
  }
  const isUnverified = type === 'MessageRejected' && /not verified/i.test(detail);
  return brokenTypes.has(type) || isUnverified ? { kind: 'broken', detail, code } : byStatus;
}
