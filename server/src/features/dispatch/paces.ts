import type { Carrier, Channel } from '../../channels/contract.ts';
import { everybody, type Pauses } from '../providers/index.ts';
import type { Throttled } from './round.ts';

/** Who waits when a carrier says stop. */
interface Pace {
  owner: string;
  name: string;
}

/** The pauses that the carriers of one channel of an environment keep to. */
export interface CarrierPauses {
  /** 0: it may be asked. */
  until(carrier: Carrier): number;
  /** Resolves to the end of the pause. */
  pause(carrier: Carrier, outcome: Throttled, callStartedAt: number): Promise<number>;
  /** A call got through. */
  eased(carrier: Carrier): void;
}

export function pausesOn(pauses: Pauses, environmentId: string, channel: Channel): CarrierPauses {
  const paceOf = ({ pace, providerId, name, isShared }: Carrier): Pace => ({
    owner: isShared ? everybody : environmentId,
    name: `${channel}:${pace ?? providerId ?? name}`,
  });
  const ofAll = ({ host }: Carrier): Pace => ({
    owner: everybody,
    name: host ? `${channel} ${host}` : channel,
  });
  return {
    until(carrier) {
      return Math.max(
        ...[paceOf(carrier), ofAll(carrier)].map(({ owner, name }) => pauses.until(owner, name)),
      );
    },
    pause(carrier, { retryAfterMs, everybody: isForAll }, callStartedAt) {
      const { owner, name } = isForAll ? ofAll(carrier) : paceOf(carrier);
      return pauses.pause(owner, name, retryAfterMs, callStartedAt, carrier.providerId);
    },
    eased(carrier) {
      for (const { owner, name } of [paceOf(carrier), ofAll(carrier)]) pauses.eased(owner, name);
    },
  };
}
