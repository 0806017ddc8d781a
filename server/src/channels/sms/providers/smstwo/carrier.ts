import type { ApiAnswer, ApiContext } from '../../../api.ts';
import type { ProviderCarrier, VerificationResult } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import type { SmsMessage } from '../../../message.ts';
import { createSmsApi } from '../../api.ts';
import { segmentationOf } from '../../segments.ts';
import { classify } from './classify.ts';
import type { SmstwoConfig } from './manifest.ts';

const maxCallbackLength = 100;

/** The provider has no idempotency key: after a lost answer the outcome is unknown. */
export function createSmstwoCarrier(
  name: string,
  config: SmstwoConfig,
  context: ApiContext,
): ProviderCarrier {
  const { apiUrl, apiKey, apiSecret, signatureSecret } = config;
  const credentials = { api_key: apiKey, api_secret: apiSecret };
  return createSmsApi(
    {
      name,
      kind: 'smstwo',
      account: [apiUrl, apiKey],
      secrets: [apiKey, apiSecret, signatureSecret ?? ''],
      idempotent: false,
      request: (message) => ({
        method: 'POST',
        url: `${apiUrl}/sms/json`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...credentials, ...fieldsOf(message, config) }).toString(),
      }),
      classify,
      bodyDecides: true,
      check: {
        request: () => ({
          method: 'GET',
          url: `${apiUrl}/account/get-balance?${new URLSearchParams(credentials)}`,
        }),
        judge,
      },
    },
    context,
  );
}

function fieldsOf(
  { to, from, text, notificationId }: SmsMessage,
  { callbackUrl }: SmstwoConfig,
): Record<string, string> {
  return {
    from: from.replace(/^\+/, ''),
    to: to.address.replace(/^\+/, ''),
    text,
    // As plain text the provider would drop characters outside the GSM alphabet.
    type: segmentationOf(text).encoding === 'UCS-2' ? 'unicode' : 'text',
    'client-ref': notificationId,
    'status-report-req': 'true',
    // A longer callback URL is refused together with the message; receipts then go to the account's URL.
    ...(callbackUrl && callbackUrl.length <= maxCallbackLength ? { callback: callbackUrl } : {}),
  };
}

function judge({ status, json }: ApiAnswer): VerificationResult {
  if (status === 200 && typeof json?.value === 'number')
    return { ok: true, detail: 'The credentials are valid.' };
  return { ok: false, detail: `${status} ${textIn(json, 'error-code-label') ?? ''}` };
}
