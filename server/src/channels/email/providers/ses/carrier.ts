import { inPlace } from '../../../../threads/task.ts';
import type { ApiAnswer, ApiContext, ApiRequest } from '../../../api.ts';
import { signAws } from '../../../aws.ts';
import type { ProviderCarrier, VerificationResult } from '../../../contract.ts';
import { asciiMailboxText, createEmailApi, urlUnder, wireMailbox } from '../../api.ts';
import { buildMime } from '../../mime.ts';
import { classify } from './classify.ts';
import type { SesConfig } from './manifest.ts';

/**
 * Sends the whole MIME message (`Raw`) rather than its parts, so that names, headers and attachments are composed in one place
 * for SMTP and SES.
 */
export function createSesCarrier(name: string, config: SesConfig, context: ApiContext): ProviderCarrier {
  const { region, accessKeyId, secretAccessKey, configurationSet, baseUrl } = config;

  function signed(method: 'GET' | 'POST', path: string, body?: string): ApiRequest {
    const url = new URL(urlUnder(baseUrl, path));
    const headers = signAws(
      { service: 'ses', region, accessKeyId, secretAccessKey },
      {
        method,
        url,
        ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body }),
      },
      context.clock(),
    );
    return { method, url: url.href, headers, ...(body === undefined ? {} : { body }) };
  }

  return createEmailApi(
    {
      name,
      kind: 'ses',
      account: [baseUrl, region, accessKeyId],
      secrets: [secretAccessKey],
      idempotent: false,
      async request(message) {
        const { envelope, raw } = await buildMime(
          context.tasks ?? inPlace,
          message,
          new Date(context.clock()),
        );
        const tags = { notification_id: message.notificationId, environment_id: message.environmentId };
        return signed(
          'POST',
          '/v2/email/outbound-emails',
          JSON.stringify({
            // This field replaces the From header of the raw message, so it contains the display name as well.
            FromEmailAddress: asciiMailboxText(wireMailbox(message.from)),
            Destination: { ToAddresses: [envelope.to] },
            Content: { Raw: { Data: raw.toString('base64') } },
            EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
            ...(configurationSet === null ? {} : { ConfigurationSetName: configurationSet }),
          }),
        );
      },
      classify,
      check: { request: () => signed('GET', '/v2/email/account'), judge },
    },
    context,
  );
}

function judge(answer: ApiAnswer): VerificationResult {
  const { status, json } = answer;
  if (status !== 200 || json?.SendingEnabled === undefined)
    return { ok: false, detail: classify(answer).detail };
  if (json.SendingEnabled !== true)
    return { ok: false, detail: 'The account cannot send: sending is paused.' };
  return json.ProductionAccessEnabled === false
    ? {
        ok: true,
        detail:
          'The credentials are valid; the account is in the SES sandbox and reaches only verified addresses.',
      }
    : { ok: true, detail: 'The credentials are valid, and the account can send.' };
}
