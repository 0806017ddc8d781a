import { assertNever } from '../../kernel/errors.ts';
import { type ApiAnswer, type ApiContext, createApiCarrier, type ProviderApi } from '../api.ts';
import { outcomeOfStatus } from '../by-status.ts';
import type { Outcome, ProviderCarrier } from '../contract.ts';
import type { SmsMessage } from './message.ts';

/** A text message provider with an HTTP API. */
export type SmsApi = Omit<ProviderApi<SmsMessage>, 'timeoutMs'>;

const sendTimeoutMs = 15_000;

export function createSmsApi(api: SmsApi, context: ApiContext): ProviderCarrier {
  return createApiCarrier({ ...api, timeoutMs: sendTimeoutMs }, context);
}

/** The outcome of an answer without a code of the provider, such as the error page of a proxy. */
export function outcomeOfForeignAnswer({ status, retryAfterMs }: ApiAnswer): Outcome {
  const detail = `Returned ${status} with an unexpected body.`;
  return outcomeOfStatus(status, { detail, code: null, retryAfterMs });
}

/** The meaning of a provider's error code, whether the code is in an answer or in a receipt. */
export type SmsCodeMeaning =
  | 'retry'
  | 'throttled'
  | 'rejected'
  | 'broken'
  | 'unreachable' // this number receives no text messages: suppress it
  | 'unsubscribed';

export function outcomeOfCode(
  meaning: SmsCodeMeaning,
  { detail, code, retryAfterMs }: { detail: string; code: string; retryAfterMs: number | null },
): Outcome {
  switch (meaning) {
    case 'retry':
    case 'throttled':
      return { kind: meaning, detail, code, retryAfterMs };
    case 'rejected':
    case 'broken':
      return { kind: meaning, detail, code };
    case 'unreachable':
      return { kind: 'suppress', detail, code, reason: 'hard_bounce' };
    case 'unsubscribed':
      return { kind: 'suppress', detail, code, reason: 'unsubscribed' };
    default:
      return assertNever(meaning);
  }
}
