import type { ApiAnswer, ApiContext } from '../../../api.ts';
import type { ProviderCarrier, VerificationResult } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import type { EmailMessage } from '../../../message.ts';
import { createEmailApi, type EmailParts, mailboxText, partsOf, urlUnder } from '../../api.ts';
import { classify } from './classify.ts';
import type { ResendConfig } from './manifest.ts';

/**
 * Resend keeps the idempotency key of a message for a day and answers a repetition with the first answer. The key is the
 * notification's id, so every attempt at one notification has the same key, in every process; the dispatcher guarantees the
 * same content by keeping the rendered template.
 */
export function createResendCarrier(
  name: string,
  { apiKey, baseUrl }: ResendConfig,
  context: ApiContext,
): ProviderCarrier {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return createEmailApi(
    {
      name,
      kind: 'resend',
      account: [baseUrl, apiKey],
      secrets: [apiKey],
      idempotent: true,
      request: (message) => ({
        method: 'POST',
        url: urlUnder(baseUrl, '/emails'),
        headers: { ...headers, 'idempotency-key': message.notificationId },
        body: JSON.stringify(bodyOf(message, partsOf(message))),
      }),
      classify,
      check: {
        request: () => ({ method: 'GET', url: urlUnder(baseUrl, '/domains'), headers }),
        judge,
      },
    },
    context,
  );
}

function bodyOf({ notificationId, environmentId }: EmailMessage, parts: EmailParts): object {
  const { headers, attachments } = parts;
  return {
    from: mailboxText(parts.from),
    to: [mailboxText(parts.to)],
    ...(parts.replyTo === null ? {} : { reply_to: parts.replyTo }),
    subject: parts.subject,
    ...(parts.text === '' ? {} : { text: parts.text }),
    ...(parts.html === null ? {} : { html: parts.html }),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ filename, contentType, bytes, contentId }) => ({
            filename,
            content: bytes.toString('base64'),
            content_type: contentType,
            ...(contentId && { content_id: contentId }),
          })),
        }),
    tags: [
      { name: 'notification_id', value: notificationId },
      { name: 'environment_id', value: environmentId },
    ],
  };
}

function judge(answer: ApiAnswer): VerificationResult {
  if (answer.status === 200 && answer.json) return { ok: true, detail: 'The key is valid.' };
  // No read call is open to a key for sending only; the refusal that says so shows that the key is valid.
  if (textIn(answer.json, 'name') === 'restricted_api_key')
    return { ok: true, detail: 'The key is valid, for sending only.' };
  return { ok: false, detail: classify(answer).detail };
}
