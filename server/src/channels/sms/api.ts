import { type ApiAnswer, type ApiContext, createApiCarrier, type ProviderApi } from '../api.ts';
import type { Outcome, ProviderCarrier } from '../contract.ts';
import type { SmsMessage } from '../message.ts';
import { outcomeOfStatus } from '../outcomes.ts';

/** A text message provider with an HTTP API. */
type SmsApi = Omit<ProviderApi<SmsMessage>, 'timeoutMs'>;

const sendTimeoutMs = 15_000;

export function createSmsApi(api: SmsApi, context: ApiContext): ProviderCarrier {
  return createApiCarrier({ ...api, timeoutMs: sendTimeoutMs }, context);
}

/** The outcome of an answer without a code of the provider, such as the error page of a proxy. */
export function outcomeOfForeignAnswer({ status, retryAfterMs }: ApiAnswer): Outcome {
  const detail = `Returned ${status} with an unexpected body.`;
  return outcomeOfStatus(status, { detail, code: null, retryAfterMs });
}

/**
 * Reads a reply as an opt-out or opt-in, by the words that carriers and providers treat so. Only a message that is nothing but
 * the word counts: "stop sending me the Tuesday one" is for a person to read.
 */
const nothing = new Set([
  'STOP',
  'STOPALL',
  'STOP ALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'OPTOUT',
  'OPT OUT',
  'OPT-OUT',
  'REVOKE',
  'ARRET',
  'ARRÊT',
]);
const again = new Set(['START', 'UNSTOP']);

/** Longer than every word with spaces and quotation marks around it: the expressions below take the square of the length. */
const maxLength = 100;

export function optOutOf(text: string): 'nothing' | 'again' | null {
  const trimmed = text.trim();
  if (trimmed.length > maxLength) return null;
  const word = trimmed
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/^["'“”]|["'“”.!]+$/g, '')
    .toUpperCase();
  if (nothing.has(word)) return 'nothing';
  return again.has(word) ? 'again' : null;
}
