import type { ApiAnswer, ApiContext } from '../../../api.ts';
import type { ProviderCarrier, VerificationResult } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import type { EmailMessage } from '../../../message.ts';
import { createEmailApi, type EmailParts, mailboxText, partsOf, urlUnder } from '../../api.ts';
import { classify } from './classify.ts';
import type { PostmarkConfig } from './manifest.ts';

export function createPostmarkCarrier(
  name: string,
  { serverToken, messageStream, baseUrl }: PostmarkConfig,
  context: ApiContext,
): ProviderCarrier {
  const headers = { 'x-postmark-server-token': serverToken, 'content-type': 'application/json' };
  return createEmailApi(
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
    Attachments: parts.attachments.map(({ filename, contentType, bytes, contentId }) => ({
      Name: filename,
      Content: bytes.toString('base64'),
      ContentType: contentType,
      ...(contentId && { ContentID: `cid:${contentId}` }),
    })),
    Metadata: { notification_id: notificationId, environment_id: environmentId },
  };
}

function judge(answer: ApiAnswer): VerificationResult {
  const server = textIn(answer.json, 'Name');
  if (answer.status === 200 && server !== null)
    return { ok: true, detail: `The token belongs to ${server}.` };
  return { ok: false, detail: classify(answer).detail };
}
