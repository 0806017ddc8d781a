import type { Carrier, Channel } from '../../../../channels/contract.ts';
import { allEnvironments, type Throttles } from '../../../providers/provider-health/index.ts';
import type { Throttled } from './round.ts';

/** The key of a throttle: the environment that waits, or all of them, and the name of the rate limit. */
interface ThrottleKey {
  owner: string;
  name: string;
}

/** The throttles that apply to the carriers of one channel of an environment. */
interface ChannelThrottles {
  /** Returns 0 when the carrier is not throttled. */
  until(carrier: Carrier): number;
  /** Resolves to the end of the throttle. */
  throttle(carrier: Carrier, outcome: Throttled, callStartedAt: number): Promise<number>;
  /** Ends the throttle, because a call succeeded. */
  throttleLifted(carrier: Carrier): void;
}

export function throttlesOn(throttles: Throttles, environmentId: string, channel: Channel): ChannelThrottles {
  const throttleKeyOf = ({ rateLimitKey, providerId, name, isShared }: Carrier): ThrottleKey => ({
    owner: isShared ? allEnvironments : environmentId,
    name: `${channel}:${rateLimitKey ?? providerId ?? name}`,
  });
  const ofAll = ({ host }: Carrier): ThrottleKey => ({
    owner: allEnvironments,
    name: host ? `${channel} ${host}` : channel,
  });
  return {
    until(carrier) {
      return Math.max(
        ...[throttleKeyOf(carrier), ofAll(carrier)].map(({ owner, name }) => throttles.until(owner, name)),
      );
    },
    throttle(carrier, { retryAfterMs, isForAll }, callStartedAt) {
      const { owner, name } = isForAll ? ofAll(carrier) : throttleKeyOf(carrier);
      return throttles.throttle(owner, name, retryAfterMs, callStartedAt, carrier.providerId);
    },
    throttleLifted(carrier) {
      for (const { owner, name } of [throttleKeyOf(carrier), ofAll(carrier)]) throttles.lift(owner, name);
    },
  };
}
