import type { ApiAnswer, ApiContext } from '../../../api.ts';
import type { ProviderCarrier, VerificationResult } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import type { SmsMessage } from '../../../message.ts';
import { createSmsApi } from '../../api.ts';
import { classify } from './classify.ts';
import type { SmsoneConfig } from './manifest.ts';

/** The provider has no idempotency key: after a lost answer the outcome is unknown. */
export function createSmsoneCarrier(
  name: string,
  config: SmsoneConfig,
  context: ApiContext,
): ProviderCarrier {
  const account = `${config.apiUrl}/2010-04-01/Accounts/${config.accountSid}`;
  const credentials = Buffer.from(`${config.accountSid}:${config.authToken}`).toString('base64');
  const authorization = `Basic ${credentials}`;
  return createSmsApi(
    {
      name,
      kind: 'smsone',
      account: [config.apiUrl, config.accountSid],
      secrets: [config.accountSid, config.authToken, credentials],
      idempotent: false,
      request: (message) => ({
        method: 'POST',
        url: `${account}/Messages.json`,
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: formOf(message, config),
      }),
      classify,
      check: {
        request: () => ({ method: 'GET', url: `${account}.json`, headers: { authorization } }),
        judge,
      },
    },
    context,
  );
}

function formOf({ to, from, text, notificationId }: SmsMessage, config: SmsoneConfig): string {
  const form = new URLSearchParams({ To: to.address, From: from, Body: text });
  const callback = callbackFor(config, notificationId);
  if (callback) form.set('StatusCallback', callback);
  return form.toString();
}

/**
 * The provider echoes nothing of ours, so the URL names the notification. It calls public https URLs only, and refuses the
 * whole message for any other: losing receipts is better than losing the message. A simulator accepts any URL.
 */
function callbackFor({ callbackUrl, apiUrl }: SmsoneConfig, notificationId: string): string | null {
  if (!callbackUrl) return null;
  if (!callbackUrl.startsWith('https:') && !apiUrl.startsWith('http:')) return null;
  return `${callbackUrl}?n=${notificationId}`;
}

function judge({ status, json }: ApiAnswer): VerificationResult {
  const state = status === 200 ? textIn(json, 'status') : null;
  if (state === 'active') return { ok: true, detail: 'The account is active.' };
  if (state !== null) return { ok: false, detail: `The account is ${state}.` };
  return { ok: false, detail: `${status} ${textIn(json, 'message') ?? ''}` };
}
