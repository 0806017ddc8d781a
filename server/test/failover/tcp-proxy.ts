import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

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

interface Link {
  client: Socket;
  server: Socket;
  target: Target;
}

export async function startTcpProxy(first: Target): Promise<TcpProxy> {
  let target = first;
  const silent = new Set<Target>();
  const links = new Set<Link>();

  const listener = createServer((client) => {
    const link: Link = { client, server: connect(target), target };
    links.add(link);
    const pass = (from: Socket, to: Socket): void => {
      from.on('data', (bytes) => {
        if (!silent.has(link.target)) to.write(bytes);
      });
      const end = (): void => {
        if (silent.has(link.target)) return;
        links.delete(link);
        from.destroy();
        to.destroy();
      };
      from.on('error', end);
      from.on('close', end);
    };
    pass(client, link.server);
    pass(link.server, client);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));

  function cut(): void {
    for (const { client, server } of links) {
      client.destroy();
      server.destroy();
    }
    links.clear();
  }

  return {
    port: (listener.address() as AddressInfo).port,
    redirect(to) {
      target = to;
    },
    cut,
    blackhole() {
      silent.add(target);
    },
    open: () => [...links].filter((link) => link.target === target && !link.client.destroyed).length,
    async stop() {
      silent.clear();
      cut();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
