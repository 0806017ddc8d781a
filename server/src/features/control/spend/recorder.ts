import type { Channel } from '../../../channels/contract.ts';
import type { Deps } from '../../../deps.ts';
import { addSpend, billedUnits, findPrice, type Price, type Spend } from './store.ts';

/** Adds up what sends cost and writes it every few seconds: it is an estimate, and a crash may lose a little of it. */
export interface SpendRecorder {
  sent(
    notification: { environment_id: string; channel: Channel; address: string | null },
    sent: { providerKind: string | null; text: string | null },
  ): void;
  flush(): Promise<void>;
}

const flushEveryMs = 2_000;

export function createSpendRecorder(
  { claimPool, clock, log }: Pick<Deps, 'claimPool' | 'clock' | 'log'>,
  { pricesOf }: { pricesOf: (environmentId: string) => readonly Price[] },
): SpendRecorder {
  let sums = new Map<string, Spend>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const spends = [...sums.values()];
    sums = new Map();
    if (spends.length === 0) return;
    try {
      await addSpend(claimPool, spends);
    } catch (error) {
      log.debug({ err: error }, 'failed to write what sends cost; retrying');
      for (const spend of spends) add(spend);
    }
  }

  function add(spend: Spend): void {
    const key = `${spend.environment_id} ${spend.month} ${spend.channel} ${spend.currency}`;
    const known = sums.get(key);
    if (known) known.amount_micros += spend.amount_micros;
    else sums.set(key, spend);
    timer ??= setTimeout(() => void flush(), flushEveryMs).unref();
  }

  return {
    flush,
    sent({ environment_id, channel, address }, { providerKind, text }) {
      const price = findPrice(pricesOf(environment_id), { channel, address }, providerKind);
      if (!price || price.price_micros === 0) return;
      const month = `${new Date(clock()).toISOString().slice(0, 7)}-01`;
      const amount_micros = price.price_micros * billedUnits(channel, text);
      add({ environment_id, month, channel, currency: price.currency, amount_micros });
    },
  };
}
