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
