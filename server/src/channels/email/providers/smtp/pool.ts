import type { Session } from './session.ts';

/**
 * A small pool of connections, each for one message at a time; callers queue when none is free. nodemailer's pool was rejected:
 * it repeats messages automatically when a connection breaks, cannot stop a single one, and does not report whether a broken
 * connection had already carried the whole message, which decides between a retry and an unknown outcome.
 */
interface SessionPool {
  /** `fresh` excludes connections that were used before, because the server may have dropped them meanwhile. */
  acquire(options: Asking): Promise<{ session: Session; reused: boolean }>;
  release(session: Session): void;
  /** Resolves when no connection is in use, or after the grace period, which ends those that are. */
  close(graceMs: number): Promise<void>;
}

interface Asking {
  fresh: boolean;
  /** Urgent callers are served before all others. */
  urgent: boolean;
  signal: AbortSignal;
}

interface PoolLimits {
  connections: number;
  messagesPerConnection: number;
  idleMs: number;
}

export class PoolClosed extends Error {}

interface Waiting {
  urgent: boolean;
  proceed: () => void;
  refuse: (error: unknown) => void;
}

export function createSessionPool(
  open: (signal: AbortSignal) => Promise<Session>,
  limits: PoolLimits,
): SessionPool {
  const idle: Session[] = [];
  const timers = new Map<Session, NodeJS.Timeout>();
  const busy = new Set<Session>();
  const opening = new Set<AbortController>();
  const slots = createSlots(limits.connections);
  let closed = false;

  function takeIdle(): Session | undefined {
    const session = idle.pop();
    if (session) {
      clearTimeout(timers.get(session));
      timers.delete(session);
    }
    return session;
  }

  function rest(session: Session): void {
    idle.push(session);
    const timer = setTimeout(() => {
      idle.splice(idle.indexOf(session), 1);
      timers.delete(session);
      session.close();
    }, limits.idleMs);
    timers.set(session, timer.unref());
  }

  /** Aborts when the caller aborts, or when the pool is closed. */
  async function openOne(signal: AbortSignal): Promise<Session> {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort);
    opening.add(stop);
    try {
      return await open(stop.signal);
    } finally {
      signal.removeEventListener('abort', onAbort);
      opening.delete(stop);
    }
  }

  return {
    async acquire(asking) {
      const { fresh, signal } = asking;
      await slots.take(asking);
      try {
        let found = takeIdle();
        // An idle connection occupies a slot as well: a fresh one replaces it.
        if (found && (fresh || !found.usable())) {
          found.destroy();
          found = undefined;
        }
        const session = found ?? (await openOne(signal));
        if (closed) {
          session.destroy();
          throw new PoolClosed();
        }
        busy.add(session);
        return { session, reused: found !== undefined };
      } catch (error) {
        slots.give();
        throw error;
      }
    },
    release(session) {
      busy.delete(session);
      session.sent += 1;
      if (!session.usable()) session.destroy();
      else if (closed || session.sent >= limits.messagesPerConnection) session.close();
      else rest(session);
      slots.give();
    },
    async close(graceMs) {
      closed = true;
      slots.close();
      for (let session = takeIdle(); session; session = takeIdle()) session.close();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          for (const stop of opening) stop.abort();
          for (const session of busy) session.destroy();
          // A caller may hold a connection and not use it yet, for as long as the database does not note the attempt.
          resolve();
        }, graceMs);
        slots.onceEmpty(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}

/** The connection slots of a pool, with the callers that wait for one. */
function createSlots(total: number) {
  const waiting: Waiting[] = [];
  let taken = 0;
  let isClosed = false;
  let onEmpty: (() => void) | null = null;

  /** Waits for a free connection slot, first come, first served; urgent callers first. */
  function take({ signal, urgent }: Asking): Promise<void> {
    return new Promise((resolve, reject) => {
      if (isClosed) return reject(new PoolClosed());
      if (signal.aborted) return reject(signal.reason);
      if (taken < total) {
        taken += 1;
        return resolve();
      }
      const settle = (finish: () => void): void => {
        signal.removeEventListener('abort', onAbort);
        finish();
      };
      const entry: Waiting = {
        urgent,
        proceed: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      };
      const onAbort = (): void => {
        waiting.splice(waiting.indexOf(entry), 1);
        entry.refuse(signal.reason);
      };
      signal.addEventListener('abort', onAbort);
      const behind = urgent ? waiting.findIndex((other) => !other.urgent) : -1;
      waiting.splice(behind === -1 ? waiting.length : behind, 0, entry);
    });
  }

  function give(): void {
    const next = waiting.shift();
    if (next) {
      next.proceed();
      return;
    }
    taken -= 1;
    if (taken === 0) onEmpty?.();
  }

  return {
    take,
    give,
    /** Refuses the callers that wait, and all later ones. */
    close(): void {
      isClosed = true;
      for (const { refuse } of waiting.splice(0)) refuse(new PoolClosed());
    },
    /** Calls back when no slot is taken: at once, or when the last one is given back. */
    onceEmpty(callback: () => void): void {
      if (taken === 0) callback();
      else onEmpty = callback;
    },
  };
}
