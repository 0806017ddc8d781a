import { invalidParameter } from '../../../../kernel/errors.ts';
import type { ApiAnswer, ApiContext } from '../../../api.ts';
import type { Outcome, ProviderCarrier, VerificationResult } from '../../../contract.ts';
import { recordsIn, textIn } from '../../../json.ts';
import type { EmailMessage } from '../../../message.ts';
import {
  createEmailApi,
  type EmailParts,
  type Mailbox,
  messageIn,
  outcomeByStatus,
  partsOf,
  quoted,
  urlUnder,
} from '../../api.ts';
import type { SendgridConfig } from './manifest.ts';

export function createSendgridCarrier(
  name: string,
  { apiKey, baseUrl }: SendgridConfig,
  context: ApiContext,
): ProviderCarrier {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return createEmailApi(
    {
      name,
      kind: 'sendgrid',
      account: [baseUrl, apiKey],
      secrets: [apiKey],
      idempotent: false,
      request: (message) => ({
        method: 'POST',
        url: urlUnder(baseUrl, '/v3/mail/send'),
        headers,
        body: JSON.stringify(bodyOf(message, partsOf(message))),
      }),
      classify,
      check: {
        request: () => ({ method: 'GET', url: urlUnder(baseUrl, '/v3/scopes'), headers }),
        judge,
      },
    },
    context,
  );
}

function bodyOf({ notificationId, environmentId }: EmailMessage, parts: EmailParts): object {
  const { headers, attachments } = parts;
  const empty = attachments.find(({ bytes }) => bytes.length === 0);
  if (empty)
    throw invalidParameter(
      'attachments',
      `SendGrid does not accept empty attachments, and ${empty.filename} is empty`,
    );
  return {
    personalizations: [
      {
        to: [recipient(parts.to)],
        custom_args: { notification_id: notificationId, environment_id: environmentId },
      },
    ],
    from: person(parts.from),
    ...(parts.replyTo === null ? {} : { reply_to: { email: parts.replyTo } }),
    subject: parts.subject,
    content: [
      ...(parts.text === '' ? [] : [{ type: 'text/plain', value: parts.text }]),
      ...(parts.html === null ? [] : [{ type: 'text/html', value: parts.html }]),
    ],
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ filename, contentType, bytes, contentId }) => ({
            content: bytes.toString('base64'),
            type: contentType,
            filename,
            ...(contentId ? { disposition: 'inline', content_id: contentId } : { disposition: 'attachment' }),
          })),
        }),
  };
}

/**
 * SendGrid writes the names of a personalization into the header unquoted, so a comma or semicolon would begin another
 * recipient. It quotes the name of From itself: quotes around that name would be shown.
 */
function recipient({ address, name }: Mailbox): object {
  return person({ address, name: /[,;]/.test(name) ? quoted(name) : name });
}

function person({ address, name }: Mailbox): object {
  return name === '' ? { email: address } : { email: address, name };
}

function judge(answer: ApiAnswer): VerificationResult {
  const scopes = answer.json?.scopes;
  if (answer.status !== 200 || !Array.isArray(scopes)) {
    const refused = classify(answer);
    return { ok: false, detail: answer.status === 200 ? messageIn(answer, null) : refused.detail };
  }
  return scopes.includes('mail.send')
    ? { ok: true, detail: 'The key is valid and can send mail.' }
    : { ok: false, detail: 'The key is valid, but lacks the scope mail.send.' };
}

function classify(answer: ApiAnswer): Outcome {
  const { status, headers, at, json } = answer;
  const [error = null] = recordsIn(json, 'errors');
  const detail = messageIn(answer, textIn(error, 'message'));
  const code = String(status);
  if (status === 202) {
    const id = headers['x-message-id'] ?? null;
    return { kind: 'accepted', providerMessageId: id, detail: '202 Accepted', code };
  }
  if (status < 300 && error) return { kind: 'rejected', detail, code };
  if (status === 451) return { kind: 'broken', detail, code }; // the account is in another region
  const resetAt = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1000;
  const waitMs = resetAt > at ? resetAt - at : null;
  return outcomeByStatus(answer, { detail, code, waitMs });
}
