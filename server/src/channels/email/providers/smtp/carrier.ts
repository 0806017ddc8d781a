import type { ConnectionOptions } from 'node:tls';
import { inPlace, type TaskRunner } from '../../../../threads/task.ts';
import type { Outcome, ProviderCarrier, Reservation } from '../../../contract.ts';
import type { EmailMessage } from '../../../message.ts';
import type { NetworkPolicy } from '../../../net.ts';
import { unbuiltMessage } from '../../../outcomes.ts';
import { buildMime, type Mime } from '../../mime.ts';
import { classify } from './classify.ts';
import { SmtpFailure } from './failure.ts';
import type { SmtpConfig } from './manifest.ts';
import { createSessionPool, PoolClosed } from './pool.ts';
import { openSession, type Session, type Timeouts } from './session.ts';

export const maxConnections = 5;
const messagesPerConnection = 100;
/** The idle limit is below the five minutes after which servers close the connection (RFC 5321 4.5.3.2.7). */
const idleMs = 30_000;
const verifyTimeoutMs = 5_000;
const defaultCloseGraceMs = 10_000;

/**
 * Timeouts are short while nothing can have been accepted, because the next provider is waiting; they are long once the message
 * is handed over, because then giving up leaves the outcome unknown.
 */
const defaultTimeouts: Timeouts = {
  connectMs: 5_000,
  greetingMs: 5_000,
  introductionMs: 10_000,
  envelopeMs: 10_000,
  socketMs: 60_000,
  messageMs: 110_000,
};

export interface SmtpOptions {
  policy: NetworkPolicy;
  /** The name given in EHLO; our address on the connection when absent. */
  clientName?: string | null;
  /** Runs the composition of large messages; on the calling thread when absent. */
  tasks?: TaskRunner | undefined;
  timeouts?: Partial<Timeouts>;
  /** How long sends in progress may take once the carrier is closed. */
  closeGraceMs?: number;
  /** Further TLS settings; certificates are always checked. */
  tls?: Pick<ConnectionOptions, 'ca'>;
}

export function createSmtpCarrier(name: string, config: SmtpConfig, options: SmtpOptions): ProviderCarrier {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const open = (signal: AbortSignal): Promise<Session> =>
    openSession(config, { ...options, timeouts }, signal);
  const pool = createSessionPool(open, { connections: maxConnections, messagesPerConnection, idleMs });

  type LeasedSession = Awaited<ReturnType<typeof pool.acquire>>;

  async function deliver(
    { session, reused }: LeasedSession,
    mime: Mime,
    signal: AbortSignal,
    urgent: boolean,
  ): Promise<Outcome> {
    try {
      const reply = await session.deliver(mime, signal);
      return { kind: 'accepted', providerMessageId: mime.messageId, detail: reply, code: reply.slice(0, 3) };
    } catch (error) {
      if (!(error instanceof SmtpFailure)) throw error;
      const { kind, stage, reply } = error.failure;
      const hungUp = kind === 'lost' || reply.startsWith('421');
      // The server closed an idle connection before any part of the message was sent: one more attempt on a new connection.
      if (!(reused && hungUp && (stage === 'mail' || stage === 'rcpt'))) throw error;
    } finally {
      pool.release(session);
    }
    return deliver(await pool.acquire({ fresh: true, urgent, signal }), mime, signal, urgent);
  }

  async function outcomeOf<Result>(
    work: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | Outcome> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SmtpFailure) return classify(error.failure);
      if (error instanceof PoolClosed || signal.aborted) {
        return { kind: 'retry', detail: 'Stopped before the message was sent.', code: 'stopped' };
      }
      throw error;
    }
  }

  function reserve(signal: AbortSignal, urgent: boolean): Promise<Reservation | Outcome> {
    return outcomeOf(async () => {
      const leased = await pool.acquire({ fresh: false, urgent, signal });
      return {
        release: () => pool.release(leased.session),
        async send(message: EmailMessage, sendSignal) {
          let mime: Mime;
          try {
            mime = await buildMime(options.tasks ?? inPlace, message, new Date());
          } catch (error) {
            pool.release(leased.session);
            return unbuiltMessage(error, 'mime');
          }
          return outcomeOf(() => deliver(leased, mime, sendSignal, urgent), sendSignal);
        },
      };
    }, signal);
  }

  return {
    name,
    kind: 'smtp',
    idempotent: false,
    reserve,
    async send(message, signal) {
      const reserved = await reserve(signal, false);
      return 'kind' in reserved ? reserved : reserved.send(message, signal);
    },
    async verify() {
      const limit = AbortSignal.timeout(verifyTimeoutMs);
      try {
        const session = await open(limit);
        session.close();
        return { ok: true, detail: config.auth ? 'Connected and authenticated.' : 'Connected.' };
      } catch (error) {
        if (!(error instanceof SmtpFailure)) throw error;
        const { detail } = error.failure;
        return {
          ok: false,
          detail: limit.aborted ? `No answer within ${verifyTimeoutMs / 1000} seconds.` : detail,
        };
      }
    },
    close: (graceMs = options.closeGraceMs ?? defaultCloseGraceMs) => pool.close(graceMs),
  };
}
