import type { Carrier, EmailMessage } from '../../channels/contract.ts';
import { isDatabaseUnavailable, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { idTime, newId } from '../../kernel/ids.ts';
import type { Claim, Job } from '../../queue/index.ts';
import { type EmailConnections, type EmailSender, emailIdentity } from '../connections/index.ts';
import { deleteAttachmentBytes, eventEntry, listAttachmentBytes } from '../notifications/index.ts';
import { judge } from './gates.ts';
import { type OpenAttempt, runRound } from './round.ts';
import { failed, openOutcome, type Settled, settlementOf, unsettled } from './settle.ts';
import { type DispatchFact, listFacts, settleNotifications } from './store.ts';

type DispatchDeps = Pick<Deps, 'pool' | 'queue' | 'clock' | 'config' | 'metrics' | 'log'>;

interface Fact extends DispatchFact {
  sender: EmailSender | null;
}

/** A settlement on its way to the database; null: there is nothing to write, only the lease to end. */
interface Ending {
  claim: Claim;
  settled: Settled | null;
  hasAttachments: boolean;
}

const roundTimeoutMs = 120_000;

/** The work of sending notifications: load a batch, pass the gates, go through the provider chain, write what happened. */
export function createDispatchJob(deps: DispatchDeps, connections: EmailConnections): Job<Fact> {
  const { pool, queue, clock } = deps;

  async function load(claims: Claim[]): Promise<Map<string, Fact>> {
    const facts = await listFacts(
      pool,
      claims.map((claim) => claim.id),
    );
    const environments = new Map(
      facts.map((fact) => [fact.environment_id, { id: fact.environment_id, kind: fact.environment_kind }]),
    );
    const senders = await connections.sendersFor([...environments.values()]);
    return new Map(
      facts.map((fact) => [fact.id, { ...fact, sender: senders.get(fact.environment_id) ?? null }]),
    );
  }

  async function run(claim: Claim, fact: Fact | undefined): Promise<void> {
    const settled = fact ? await send(claim, fact) : null;
    if (settled === 'lost') return;
    if (fact && settled && settled.status !== 'queued')
      deps.metrics.settled.inc({ channel: fact.channel, status: settled.status });
    await endings.add({ claim, settled, hasAttachments: Boolean(fact?.attachments) });
  }

  async function send(claim: Claim, fact: Fact): Promise<Settled | 'lost' | null> {
    const now = clock();
    const sending = eventEntry('Sending', claim.leasedAt.getTime());
    if (claim.note) return resolveOpenAttempt(fact, claim.note as OpenAttempt, now);

    const { verdict, trace } = judge(fact, now);
    const base = { ...unsettled(fact), trace };
    switch (verdict.kind) {
      case 'drop':
        return null;
      case 'defer':
        return { ...base, retryAt: verdict.until };
      case 'suppress':
        return {
          ...base,
          status: 'suppressed',
          suppression_reason: verdict.reason,
          events: [eventEntry('Suppressed', now, verdict.detail, verdict.reason)],
        };
      case 'pass':
        break;
    }

    const road = await roadFor(fact);
    if ('problem' in road) return failed(base, now, `provider_not_configured: ${road.problem}`);
    if (fact.attempt_count === 0) {
      deps.metrics.acceptToAttempt.observe(
        { lane: claim.lane },
        (now - (fact.send_at?.getTime() ?? idTime(fact.id))) / 1000,
      );
    }
    const result = await runRound({
      ...road,
      attemptsBefore: fact.attempt_count,
      begin: (open) => begins.add({ id: claim.id, note: open }),
      clock,
      signal: AbortSignal.timeout(roundTimeoutMs),
    });
    if (result === 'lost') return 'lost';
    deps.metrics.attempts.inc({
      channel: fact.channel,
      provider_kind: result.carrier.kind,
      outcome: result.outcome.kind,
    });
    const settled = settlementOf(fact, result, circumstances());
    return { ...settled, events: [sending, ...settled.events], trace: [...trace, ...settled.trace] };
  }

  /** The worker that made this attempt died before it could record the outcome. */
  function resolveOpenAttempt(fact: Fact, open: OpenAttempt, now: number): Settled {
    const said = `${open.carrier}: the worker stopped during the call, so its outcome is unknown`;
    const base: Settled = {
      ...unsettled(fact),
      attempts: 1,
      round: fact.round + 1,
      events: [eventEntry('Sending', open.started_at), eventEntry('AttemptFailed', now, said)],
      trace: [
        {
          at: open.started_at,
          kind: 'attempt',
          name: open.carrier,
          provider_kind: open.carrier_kind,
          verdict: 'ambiguous',
          detail: 'The worker stopped during the call.',
          code: null,
          provider_message_id: null,
          latency_ms: 0,
        },
      ],
    };
    return openOutcome(base, fact, false, said, circumstances());
  }

  function circumstances() {
    return { now: clock(), retryScale: deps.config.CARILLON_RETRY_SCALE, chance: Math.random() };
  }

  /** Which carriers, and what they carry; or why there is none. */
  async function roadFor(
    fact: Fact,
  ): Promise<
    { carriers: [Carrier, ...Carrier[]]; message: (attempt: number) => EmailMessage } | { problem: string }
  > {
    if (fact.channel !== 'email')
      return { problem: `No provider is configured for the channel ${fact.channel}.` };
    const [first, ...rest] = fact.sender?.carriers ?? [];
    if (!fact.sender?.from || !first) {
      return {
        problem:
          fact.sender?.problem ?? 'The environment has no email provider; add one in its email settings.',
      };
    }
    const { from, replyTo } = emailIdentity(fact.sender, fact);
    const bytes = fact.attachments ? await listAttachmentBytes(pool, fact.id) : [];
    return {
      carriers: [first, ...rest],
      message: (attempt) => ({
        channel: 'email',
        notificationId: fact.id,
        environmentId: fact.environment_id,
        attempt,
        to: { address: fact.address ?? '', name: fact.recipient_name },
        from,
        replyTo,
        subject: fact.subject ?? '',
        html: fact.html_body,
        text: fact.text_body,
        attachments: (fact.attachments ?? []).map((file, index) => ({
          filename: file.filename,
          contentType: file.content_type,
          bytes: bytes[index] ?? Buffer.alloc(0),
        })),
        headers: {},
      }),
    };
  }

  const begins = createBatcher<{ id: string; note: OpenAttempt }, boolean>(
    async (notes) => {
      const held = new Set(await queue.begin(pool, 'notification', notes));
      return notes.map(({ id }) => held.has(id));
    },
    { concurrency: 2, maxItems: 200 },
  );

  async function writeEndings(items: Ending[]): Promise<undefined[]> {
    await transaction(pool, async (tx) => {
      const held = new Set(
        await queue.finish(
          tx,
          'notification',
          items.map(({ claim }) => claim.id),
        ),
      );
      const mine = items.filter(({ claim }) => held.has(claim.id));
      await settleNotifications(
        tx,
        mine.flatMap(({ settled }) => settled ?? []),
      );
      await deleteAttachmentBytes(
        tx,
        mine.flatMap((item) =>
          item.hasAttachments && item.settled?.status !== 'queued' ? item.claim.id : [],
        ),
      );
      await queue.postpone(
        tx,
        mine.flatMap(({ claim, settled }) => {
          if (!settled) return [];
          const { lane, environmentId } = claim;
          const receipts = settled.laterReceipts.map((receipt) => ({
            kind: 'receipt' as const,
            id: newId(),
            lane,
            environmentId,
            note: { notification_id: claim.id, type: receipt.type, detail: receipt.detail },
            runAt: new Date(clock() + (receipt.afterMs ?? 0)),
          }));
          if (settled.retryAt === null) return receipts;
          return [
            {
              kind: 'notification' as const,
              id: claim.id,
              lane,
              environmentId,
              runAt: new Date(settled.retryAt),
            },
            ...receipts,
          ];
        }),
      );
    });
    return items.map(() => undefined);
  }

  const endings = createBatcher<Ending, undefined>(
    (items) => untilDatabaseAnswers(() => writeEndings(items), deps.log),
    {
      concurrency: 2,
      maxItems: 200,
    },
  );

  return { batch: 100, capacity: 800, load, run };
}

/** The message has been handed over: its outcome must not be lost because the database is restarting. */
async function untilDatabaseAnswers<Result>(write: () => Promise<Result>, log: Deps['log']): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || attempt === 600) throw error;
      if (attempt === 1) log.warn({ err: error }, 'outcomes wait for the database');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
