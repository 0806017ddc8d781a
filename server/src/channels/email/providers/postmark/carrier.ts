import type { EmailMessage, ProviderCarrier } from '../../../contract.ts';
import { type ApiContext, createApiCarrier, type EmailApiAnswer, textIn, urlUnder } from '../../api.ts';
import { type EmailParts, mailboxText, partsOf } from '../../parts.ts';
import { classify } from './classify.ts';
import type { PostmarkConfig } from './manifest.ts';

export function createPostmarkCarrier(
  name: string,
  { serverToken, messageStream, baseUrl }: PostmarkConfig,
  context: ApiContext,
): ProviderCarrier {
  const headers = { 'x-postmark-server-token': serverToken, 'content-type': 'application/json' };
  return createApiCarrier(
    {
      name,
      kind: 'postmark',
      account: [baseUrl, serverToken],
      secrets: [serverToken],
      idempotent: false,
      request: (message) => ({
        method: 'POST',
        url: urlUnder(baseUrl, '/email'),
        headers,
        body: JSON.stringify({
          ...bodyOf(message, partsOf(message)),
          ...(messageStream === null ? {} : { MessageStream: messageStream }),
        }),
      }),
      classify,
      check: {
        request: () => ({ method: 'GET', url: urlUnder(baseUrl, '/server'), headers }),
        judge,
      },
    },
    context,
  );
}

function bodyOf({ notificationId, environmentId }: EmailMessage, parts: EmailParts): object {
  return {
    From: mailboxText(parts.from),
    To: mailboxText(parts.to),
    ...(parts.replyTo === null ? {} : { ReplyTo: parts.replyTo }),
    Subject: parts.subject,
    ...(parts.text === '' ? {} : { TextBody: parts.text }),
    ...(parts.html === null ? {} : { HtmlBody: parts.html }),
    Headers: parts.headers.map(([Name, Value]) => ({ Name, Value })),
    Attachments: parts.attachments.map(({ filename, contentType, bytes }) => ({
      Name: filename,
      Content: bytes.toString('base64'),
      ContentType: contentType,
    })),
    Metadata: { notification_id: notificationId, environment_id: environmentId },
  };
}

function judge(answer: EmailApiAnswer): { ok: boolean; detail: string } {
  const server = textIn(answer.json, 'Name');
  if (answer.status === 200 && server !== null)
    return { ok: true, detail: `The token is that of ${server}.` };
  return { ok: false, detail: classify(answer).detail };
}
