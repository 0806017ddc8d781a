import type { Channel } from '../../../channels/contract.ts';
import { segmentationOf } from '../../../channels/sms/segments.ts';

/** What providers charge for: a text message by segment, any other message once. */
export function billedUnits(channel: Channel, text: string | null): number {
  return channel === 'sms' && text !== null ? segmentationOf(text).segments : 1;
}

/** The price of a message, or of a segment of a text message, in millionths of the currency. Empty texts match anything. */
export interface Price {
  channel: Channel;
  provider_kind: string;
  prefix: string;
  price_micros: number;
  currency: string;
}

/**
 * The price with the longest prefix of the address counts. Before a send its provider is not known: the dearest one is assumed.
 */
export function findPrice(
  prices: readonly Price[],
  { channel, address }: { channel: Channel; address: string | null },
  providerKind: string | null,
): Price | null {
  let best: Price | null = null;
  for (const price of prices) {
    const isProvider =
      providerKind === null || price.provider_kind === '' || price.provider_kind === providerKind;
    if (price.channel !== channel || !isProvider || !(address ?? '').startsWith(price.prefix)) continue;
    if (!best || isBetter(price, best, providerKind)) best = price;
  }
  return best;
}

function isBetter(price: Price, best: Price, providerKind: string | null): boolean {
  if (price.prefix.length !== best.prefix.length) return price.prefix.length > best.prefix.length;
  if (providerKind === null) return price.price_micros > best.price_micros;
  return price.provider_kind.length > best.provider_kind.length;
}
