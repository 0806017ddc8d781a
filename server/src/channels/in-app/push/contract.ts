import type { OutboundFailure } from '../../http.ts';

/**
 * The boundary between the job that rings devices and the three push services. Outcomes, not exceptions, cross it.
 */
export const deviceKinds = ['web_push', 'apns', 'fcm'] as const;
export type DeviceKind = (typeof deviceKinds)[number];

/** Where a push service finds a device; a secret, because everyone who knows it can ring. */
export type DeviceAddress =
  | { kind: 'web_push'; endpoint: string; p256dh: string; auth: string }
  | { kind: 'apns'; token: string }
  | { kind: 'fcm'; token: string };

/** Shows an inbox item on a device. */
export interface RingMessage {
  type: 'ring';
  /** The id of the inbox item. A second push with the same id replaces the first one on every platform. */
  id: string;
  title: string;
  body: string;
  url: string | null;
  urgency: PushUrgency;
  /** How long the push service keeps the message for a device that is offline. */
  ttlSeconds: number;
}

/** Removes items from a device: they were read or archived elsewhere. */
export interface WithdrawMessage {
  type: 'withdraw';
  ids: readonly string[];
}

export type PushMessage = RingMessage | WithdrawMessage;
export type PushUrgency = 'high' | 'normal' | 'low';

/**
 * accepted: the push service has the message · gone: the device is no longer registered and is removed · throttled: the service asks
 * the whole connection to slow down · retry: a failure that passes · rejected: the service refuses this message · broken: the
 * settings of the connection are wrong · skipped: the platform cannot do it.
 */
export interface PushOutcome {
  kind: 'accepted' | 'gone' | 'throttled' | 'retry' | 'rejected' | 'broken' | 'skipped';
  detail: string;
  code: string | null;
  retryAfterMs?: number | null;
}

/** One push service with the settings of an environment. */
export interface PushSender {
  send(address: DeviceAddress, message: PushMessage, signal: AbortSignal): Promise<PushOutcome>;
  /** Checks the settings with the service; nothing reaches a device. */
  verify(): Promise<{ ok: boolean; detail: string }>;
}

/** How long a call to a push service may take. */
export const callTimeoutMs = 10_000;
export const maxAnswerBytes = 4_096;

/** A push that may have arrived is sent again: the second one replaces the first on the device. */
export function failedCall({ failure, detail }: OutboundFailure): PushOutcome {
  // Neither passes: the network policy forbids the address, or the settings contain a header that cannot be sent.
  const kind = failure === 'blocked' || failure === 'invalid' ? 'broken' : 'retry';
  return { kind, detail, code: failure };
}
