import type { OutboundFailure } from '../../http.ts';
import type { PushOutcome } from './contract.ts';

/** A push that may have arrived is sent again: the second one replaces the first on the device. */
export function failedCall({ failure, detail }: OutboundFailure): PushOutcome {
  // Neither passes: the network policy forbids the address, or the settings contain a header that cannot be sent.
  const kind = failure === 'blocked' || failure === 'invalid' ? 'broken' : 'retry';
  return { kind, detail, code: failure };
}
