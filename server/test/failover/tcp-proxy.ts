import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The address at which a server can be found: a unix socket, or a port of this machine. */
export type Target = { path: string } | { port: number };

/** The server of a database URL, in an object of its own each time: the proxy takes it for another server. */
export function targetOf(url: string): Target {
  const { port, searchParams } = new URL(url);
  const directory = searchParams.get('host');
  return directory === null ? { port: Number(port) } : { path: `${directory}/.s.PGSQL.${port}` };
}

/** A TCP proxy between the service and its database that fails in the ways of networks. */
export interface TcpProxy {
  port: number;
  /** New connections go there; open ones stay where they are. */
  redirect(target: Target): void;
  /** Closes all connections. */
  cut(): void;
  /** From now on no byte of these connections, or of new ones to the same target, is passed on, and none is closed. */
  blackhole(): void;
  /** How many connections are open to the current target. */
  open(): number;
  stop(): Promise<void>;
}

/**
 * The proxy has a thread of its own. On the event loop of the test, its bytes would wait for two services and their load, and the first
 * heartbeat after a failover must pass within 3 s, or another worker rescues work that is done.
 */
export async function startTcpProxy(first: Target): Promise<TcpProxy> {
  /** The thread sees copies of targets; the same object has the same id. */
  const ids = new Map<Target, number>();
  const withId = (address: Target) => {
    const id = ids.get(address) ?? ids.size;
    ids.set(address, id);
    return { id, address };
  };
  /** Whether the thread has done what it was told, and its answer. */
  const answer = new Int32Array(new SharedArrayBuffer(8));
  const thread = new Worker(new URL('./tcp-proxy-thread.mjs', import.meta.url), {
    workerData: { answer, target: withId(first) },
  });
  const ended = once(thread, 'exit');
  const [port] = (await once(thread, 'message')) as [number];

  /** Returns when it is done, as if the proxy were in this thread. */
  function tell(name: string, argument?: unknown): number {
    Atomics.store(answer, 0, 0);
    thread.postMessage({ name, argument });
    Atomics.wait(answer, 0, 0);
    return answer[1] ?? 0;
  }

  return {
    port,
    redirect: (target) => void tell('redirect', withId(target)),
    cut: () => void tell('cut'),
    blackhole: () => void tell('blackhole'),
    open: () => tell('open'),
    async stop() {
      thread.postMessage({ name: 'stop' });
      await ended;
    },
  };
}
