import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message, Outcome, ProviderCarrier } from '../../src/channels/contract.ts';
import type { Refusal } from '../simulators/simulation.ts';

/** The faults that a call to any provider can have. */
export type Mishap =
  | 'throttled'
  | 'throttled_with_delay'
  | 'throttled_absurdly'
  | 'half_refusal'
  | 'server_error'
  | 'gateway_timeout'
  | 'error_page'
  | 'page_instead_of_answer'
  | 'malformed_answer'
  | 'empty_answer'
  | 'half_answer'
  | 'redirect'
  | 'dropped'
  | 'dropped_after_accept'
  | 'hang'
  | 'hang_after_accept';

interface CarrierOptions {
  /** Credentials that the provider does not know: `wrongSecret` instead of the right one. */
  wrong?: boolean;
  /** The URL of a port that refuses connections. */
  unreachable?: boolean;
  timeoutMs?: number;
}

/** A provider's simulator, and our carrier for it. */
export interface Bench {
  carrier(options?: CarrierOptions): ProviderCarrier;
  message(changes?: { notificationId?: string }): Message;
  /** The number of messages that the provider accepted. */
  taken(): number;
  /** Every call has this mishap from now on. */
  provoke(mishap: Mishap): void;
  /** Ends the mishap. */
  recover(): void;
  /** Resolves once a call waits for an answer that will not come. */
  hung(): Promise<void>;
  /** Makes the provider answer with this text, which may contain a secret. */
  echo?(text: string): void;
  /** The right secret, which `wrong` replaces. */
  secret: string;
  stop(): Promise<void>;
}

interface Candidate<B extends Bench> {
  provider: string;
  idempotent: boolean;
  /** Only a message shows whether the settings are good. */
  isUnverifiable?: true;
  start(): Promise<B>;
  /** The required outcome of each mishap that this provider can have. */
  mishaps: Partial<Record<Mishap, Outcome['kind']>>;
  refusals: readonly Refusal<NoInfer<B>>[];
}

export const wrongSecret = 'not-the-right-secret';
const never = (): AbortSignal => new AbortController().signal;
const isSilent = (mishap: Mishap): boolean => mishap === 'hang' || mishap === 'hang_after_accept';
const dayMs = 86_400_000;

/** The exam that the carriers of all channels pass, against their simulators over real sockets. */
export function examine<B extends Bench>(candidate: Candidate<B>): void {
  describe(`${candidate.provider} as a carrier`, () => {
    let bench: B;
    const carriers: ProviderCarrier[] = [];
    beforeEach(async () => {
      bench = await candidate.start();
    });
    afterEach(async () => {
      await Promise.all(carriers.splice(0).map((carrier) => carrier.close()));
      await bench.stop();
    });

    function carrier(options: CarrierOptions = {}): ProviderCarrier {
      const made = bench.carrier(options);
      carriers.push(made);
      return made;
    }

    /** No outcome may show a secret. */
    async function send(
      options: CarrierOptions & { notificationId?: string; signal?: AbortSignal } = {},
    ): Promise<Outcome> {
      const { notificationId, signal = never(), ...rest } = options;
      const message = bench.message(notificationId ? { notificationId } : {});
      const outcome = await carrier(rest).send(message, signal);
      expectNoSecret(outcome);
      return outcome;
    }

    function expectNoSecret(value: unknown): void {
      const text = JSON.stringify(value);
      for (const secret of [bench.secret, wrongSecret]) expect(text).not.toContain(secret);
    }

    it('hands a message over and knows it by the id that the provider gave it', async () => {
      const outcome = await send();
      expect(outcome).toMatchObject({ kind: 'accepted', providerMessageId: expect.stringMatching(/./) });
      expect(bench.taken()).toBe(1);
    });

    it('hands over many at once', async () => {
      const one = carrier();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          one.send(bench.message({ notificationId: idNumber(index) }), never()),
        ),
      );
      expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'accepted'));
      expect(bench.taken()).toBe(20);
    });

    it('is broken with credentials that the provider does not know', async () => {
      expect(await send({ wrong: true })).toMatchObject({ kind: 'broken' });
      expect(bench.taken()).toBe(0);
    });

    it('tries again later when the provider cannot be reached', async () => {
      expect(await send({ unreachable: true })).toMatchObject({ kind: 'retry' });
    });

    const mishaps = Object.entries(candidate.mishaps) as [Mishap, Outcome['kind']][];
    it.each(mishaps.filter(([mishap]) => !isSilent(mishap)))('after %s says %s', async (mishap, kind) => {
      bench.provoke(mishap);
      const outcome = await send();
      expect(outcome).toMatchObject({ kind, detail: expect.stringMatching(/./) });
      expect(outcome.detail.length).toBeLessThanOrEqual(300);
      if (mishap === 'throttled_with_delay') expect(outcome).toMatchObject({ retryAfterMs: 7_000 });
      if (outcome.kind !== 'throttled' || mishap !== 'throttled_absurdly') return;
      expect(outcome.retryAfterMs ?? 0).toBeLessThanOrEqual(dayMs);
    });

    it.each(mishaps.filter(([mishap]) => isSilent(mishap)))(
      'when the provider falls silent (%s) ends in time, with %s',
      async (mishap, kind) => {
        bench.provoke(mishap);
        expect(await send({ timeoutMs: 300 })).toMatchObject({ kind });
      },
    );

    it.each(mishaps.filter(([mishap]) => isSilent(mishap)))(
      'when stopped during %s, ends with %s',
      async (mishap, kind) => {
        bench.provoke(mishap);
        const stop = new AbortController();
        const sending = send({ signal: stop.signal });
        await bench.hung();
        stop.abort();
        expect(await sending).toMatchObject({ kind });
      },
    );

    it('hands nothing over once it was stopped', async () => {
      expect(await send({ signal: AbortSignal.abort() })).toMatchObject({ kind: 'retry' });
      expect(bench.taken()).toBe(0);
    });

    for (const { title, provoke, outcome } of candidate.refusals) {
      it(`${title}: ${outcome.kind}`, async () => {
        provoke(bench);
        expect(await send()).toMatchObject(outcome);
        expect(bench.taken()).toBe(0);
      });
    }

    it('shows no secret, even if the provider repeats it', async () => {
      for (const wrong of [false, true]) {
        const secret = wrong ? wrongSecret : bench.secret;
        // Also where a detail ends: half of a secret is too much.
        for (const before of ['you sent ', 'x'.repeat(290)]) {
          bench.echo?.(before + secret);
          const outcome = await send({ wrong });
          expect(outcome.detail).not.toContain(secret.slice(0, 6));
        }
        if (!candidate.isUnverifiable) expectNoSecret(await carrier({ wrong }).verify());
      }
    });

    it('says whether it may be repeated, and what shares its limits', async () => {
      const one = carrier();
      expect(one.idempotent).toBe(candidate.idempotent);
      expect(one.rateLimitKey).toBe(carrier().rateLimitKey);
      expectNoSecret(one.rateLimitKey ?? '');
    });

    if (candidate.idempotent) {
      it('sends once, however often it is repeated', async () => {
        const again = { notificationId: idNumber(7) };
        for (const mishap of ['dropped_after_accept', 'hang_after_accept'] as const) {
          bench.provoke(mishap);
          expect(await send({ ...again, timeoutMs: 300 })).toMatchObject({ kind: 'ambiguous' });
        }
        bench.recover();
        const [first, second] = [await send(again), await send(again)];
        expect(first).toMatchObject({ kind: 'accepted' });
        expect(second).toEqual(first);
        expect(bench.taken()).toBe(1);
      });
    }

    if (candidate.isUnverifiable) return;

    it('verifies good settings without sending anything', async () => {
      expect(await carrier().verify()).toMatchObject({ ok: true });
      expect(bench.taken()).toBe(0);
    });

    it('says why settings are no good', async () => {
      for (const options of [{ wrong: true }, { unreachable: true }]) {
        const verdict = await carrier(options).verify();
        expect(verdict).toMatchObject({ ok: false, detail: expect.stringMatching(/./) });
        expectNoSecret(verdict);
      }
      if (!candidate.mishaps.hang) return;
      bench.provoke('hang');
      expect(await carrier({ timeoutMs: 300 }).verify()).toMatchObject({ ok: false });
    });
  });
}

export function idNumber(number: number): string {
  return `0198aaaa-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}
