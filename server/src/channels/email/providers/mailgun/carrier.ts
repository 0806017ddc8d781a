import { randomBytes } from 'node:crypto';
import type { ApiAnswer, ApiContext } from '../../../api.ts';
import type { ProviderCarrier, VerificationResult } from '../../../contract.ts';
import { recordIn, textIn } from '../../../json.ts';
import type { EmailMessage } from '../../../message.ts';
import { createEmailApi, mailboxText, partsOf, urlUnder } from '../../api.ts';
import { classify } from './classify.ts';
import type { MailgunConfig } from './manifest.ts';

export function createMailgunCarrier(
  name: string,
  { apiKey, domain, baseUrl }: MailgunConfig,
  context: ApiContext,
): ProviderCarrier {
  const credentials = Buffer.from(`api:${apiKey}`).toString('base64');
  const authorization = `Basic ${credentials}`;
  return createEmailApi(
    {
      name,
      kind: 'mailgun',
      account: [baseUrl, apiKey],
      secrets: [apiKey, credentials],
      idempotent: false,
      takesUtf8Recipients: true,
      request(message) {
        const { contentType, body } = encodeForm(formOf(message));
        return {
          method: 'POST',
          url: urlUnder(baseUrl, `/v3/${domain}/messages`),
          headers: { authorization, 'content-type': contentType },
          body,
        };
      },
      classify,
      check: {
        request: () => ({
          method: 'GET',
          url: urlUnder(baseUrl, `/v4/domains/${domain}`),
          headers: { authorization },
        }),
        judge,
      },
    },
    context,
  );
}

function formOf(message: EmailMessage): FormPart[] {
  const { notificationId, environmentId } = message;
  const parts = partsOf(message);
  const field = (name: string, value: string): FormPart => ({ name, value });
  return [
    field('from', mailboxText(parts.from)),
    field('to', mailboxText(parts.to)),
    field('subject', parts.subject),
    ...(parts.text === '' ? [] : [field('text', parts.text)]),
    ...(parts.html === null ? [] : [field('html', parts.html)]),
    ...(parts.replyTo === null ? [] : [field('h:Reply-To', parts.replyTo)]),
    ...parts.headers.map(([name, value]) => field(`h:${name}`, value)),
    field('v:notification_id', notificationId),
    field('v:environment_id', environmentId),
    // The filename of an inline file is its content id.
    ...parts.attachments.map(
      ({ contentId, ...file }): FormPart =>
        contentId ? { ...file, name: 'inline', filename: contentId } : { ...file, name: 'attachment' },
    ),
  ];
}

function judge(answer: ApiAnswer): VerificationResult {
  // A sending key may read nothing; a refusal of the domain, and not of the key, shows that the key is valid.
  if (answer.status === 403) return { ok: true, detail: 'The key is valid, for sending only.' };
  const domain = recordIn(answer.json, 'domain');
  if (answer.status !== 200 || !domain) return { ok: false, detail: classify(answer).detail };
  const state = textIn(domain, 'state');
  return state === 'active'
    ? { ok: true, detail: 'The key is valid, and the domain is active.' }
    : { ok: false, detail: `The key is valid, but the domain is ${state ?? 'not active'}.` };
}

type FormPart =
  | { name: string; value: string }
  | { name: string; filename: string; contentType: string; bytes: Buffer };

/**
 * multipart/form-data (RFC 7578). Written by hand, because it is only these few lines and the body must be bytes of known
 * length. The boundary is random, so no content can contain it.
 */
function encodeForm(parts: FormPart[]): { contentType: string; body: Buffer } {
  const boundary = `carillon-${randomBytes(24).toString('hex')}`;
  const chunks = parts.flatMap((part) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(part.name)}"`;
    if ('value' in part) return [Buffer.from(`${head}\r\n\r\n${part.value}\r\n`)];
    const file = `; filename="${quoted(part.filename)}"\r\nContent-Type: ${part.contentType}\r\n\r\n`;
    return [Buffer.from(head + file), part.bytes, Buffer.from('\r\n')];
  });
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** Browsers escape the same three characters, which cannot appear in a quoted name. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
