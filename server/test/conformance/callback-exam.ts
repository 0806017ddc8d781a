import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallbackRequest, CallbackVerdict, Receipt, Report } from '../../src/channels/contract.ts';
import { emailProviders } from '../../src/channels/registry.ts';
import { type CallbackCall, type CallbackKind, callbackKinds } from '../simulators/email-provider.ts';
import type { CallbackFacts, EmailSimulation } from '../simulators/simulation.ts';
import { type EmailBench, startEmailBench } from './email-bench.ts';

const expected: Record<CallbackKind, Partial<Receipt>> = {
  delivered: { type: 'Delivered' },
  delayed: { type: 'DeliveryDelayed' },
  bounced: { type: 'Bounced', soft: false },
  soft_bounced: { type: 'Bounced', soft: true },
  complained: { type: 'Complained' },
  opened: { type: 'Opened' },
  clicked: { type: 'Clicked', detail: expect.stringContaining('https://acme.example/') },
};

/** The exam that every provider with callbacks passes: it accepts its own calls and refuses all others. */
export function examineCallbacks(simulation: EmailSimulation, facts: CallbackFacts): void {
  const { kind } = simulation;
  describe(`callbacks of ${kind}`, () => {
    let bench: EmailBench;
    beforeEach(async () => {
      bench = await startEmailBench(simulation);
    });
    afterEach(() => bench.stop());

    async function read(
      { headers, body }: CallbackCall,
      { config = bench.config, now = Date.now() } = {},
    ): Promise<CallbackVerdict> {
      const request: CallbackRequest = {
        url: `https://notify.example/hooks/${kind}/token`,
        method: 'POST',
        headers,
        query: {},
        body: Buffer.from(body),
      };
      const verdict = await emailProviders[kind]?.readCallback?.(request, config, {
        clock: () => now,
        outbound: bench.outbound,
      });
      if (!verdict) throw new Error('the provider reads no callbacks');
      if (verdict.kind === 'refused')
        for (const secret of Object.values(config))
          if (typeof secret === 'string' && secret.length > 8) expect(verdict.reason).not.toContain(secret);
      return verdict;
    }

    /** A call that the provider makes after it really accepted a message. */
    async function call(about: CallbackKind = 'delivered', at = Date.now()): Promise<CallbackCall> {
      if (bench.simulator.received.length === 0) {
        const outcome = await bench.carrier().send(bench.message(), new AbortController().signal);
        expect(outcome.kind).toBe('accepted');
      }
      const [email] = bench.simulator.received;
      if (!email) throw new Error('nothing was taken');
      return bench.simulator.callback(about, email, { at });
    }

    const reportsIn = (verdict: CallbackVerdict): Report[] =>
      verdict.kind === 'reports' ? verdict.reports : [];

    it.each(callbackKinds)('%s is reported of the notification that was sent', async (about) => {
      const [report, ...others] = reportsIn(await read(await call(about)));
      expect(others).toEqual([]);
      expect(report).toMatchObject({
        about: 'notification',
        notificationId: bench.message().notificationId,
        eventId: expect.stringMatching(/./),
        receipt: { at: expect.stringMatching(/Z$/), ...expected[about] },
      });
    });

    it('name the same event in every repetition, and another one for another event', async () => {
      const first = await call('opened');
      const ids = [first, first, await call('opened', Date.now() - 1_000)].map(async (made) => {
        const [report] = reportsIn(await read(made));
        return report?.eventId;
      });
      const [one, again, other] = await Promise.all(ids);
      expect(again).toBe(one);
      expect(other).not.toBe(one);
    });

    it('are refused when the signature is wrong or missing', async () => {
      const made = await call();
      expect(await read(facts.forge(made))).toMatchObject({ kind: 'refused', status: 401 });
      expect(await read({ headers: {}, body: '{}' })).toMatchObject({ kind: 'refused' });
    });

    it('are refused when another account signed them', async () => {
      const config = { ...bench.config, [facts.needs]: facts.foreign() };
      expect(await read(await call(), { config })).toMatchObject({ kind: 'refused' });
    });

    it('are refused when nothing is configured to verify them with', async () => {
      const config = { ...bench.config, [facts.needs]: null };
      expect(await read(await call(), { config })).toMatchObject({ kind: 'refused', status: 401 });
    });

    it('cannot carry another body', async () => {
      const made = await call();
      if (facts.signsBody) {
        const body = made.body.replaceAll('0198aaaa', '0198bbbb'); // about another notification
        expect(await read({ ...made, body })).toMatchObject({ kind: 'refused', status: 401 });
      } else if (facts.age) {
        // The signed part counts once, with any body.
        const [one, again] = [await read(made), await read(made)];
        expect(one).toMatchObject({ nonce: expect.stringMatching(/./) });
        expect(again).toEqual(one);
      }
    });

    it('are refused for their age, not for a little of it', async () => {
      const { age } = facts;
      if (!age) return;
      const now = Date.now();
      expect(await read(await call('delivered', now - age.takenMs))).toMatchObject({ kind: 'reports' });
      expect(await read(await call('delivered', now - age.refusedMs))).toMatchObject({
        kind: 'refused',
        status: 401,
      });
      expect(await read(await call('delivered', now + 3_600_000))).toMatchObject({
        kind: 'refused',
        status: 401,
      });
    });

    it.each(['', 'null', '[]', '{', '[null, 5, "x"]', '{"signature": 5}', '\u0000', '<html>'])(
      'that say %j are refused, or say nothing',
      async (body) => {
        const { headers } = await call();
        expect(reportsIn(await read({ headers, body }))).toEqual([]);
      },
    );
  });
}
