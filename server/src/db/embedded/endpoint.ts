import { chmodSync, lchownSync, lstatSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Account, canReach } from './account.ts';
import { EmbeddedPostgresError } from './error.ts';

/** The server's address: a directory with a unix socket in it, or (Windows) a port on this machine. */
export interface ServerEndpoint {
  host: string;
  port: number;
}

/** The port appears in the socket's name only: no TCP port is opened. */
const SOCKET_PORT = 5432;
const PREFIX = 'carillon-';
/** sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero. */
const LONGEST_SOCKET_PATH = 103;

/**
 * Makes a new private directory for the socket. Not in the data directory: that may be too deep for a socket's name or on a
 * file system without sockets (a shared folder in a container).
 */
export async function newEndpoint(account: Account | undefined): Promise<ServerEndpoint> {
  if (process.platform === 'win32') return { host: '127.0.0.1', port: await freePort() };
  const places = [tmpdir(), '/tmp', '/var/tmp', '/run', '/dev/shm'];
  for (const location of places) {
    const longest = Buffer.byteLength(
      socketOf({ host: path.join(location, `${PREFIX}XXXXXX`), port: SOCKET_PORT }),
    );
    try {
      if (longest > LONGEST_SOCKET_PATH || (account !== undefined && !canReach(account, location))) continue;
      const endpoint = { host: mkdtempSync(path.join(location, PREFIX)), port: SOCKET_PORT };
      prepareEndpoint(endpoint, account);
      return endpoint;
    } catch {
      // missing, read-only or full: try the next one
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL needs a directory for its socket, and none of ${places.join(', ')} can be written to. Make one of them writable, or set DATABASE_URL.`,
  );
}

/** Runs before every start: the directory must still exist and be ours, without the socket of a server that was killed. */
export function prepareEndpoint(endpoint: ServerEndpoint, account: Account | undefined): void {
  if (!isSocket(endpoint)) return;
  mkdirSync(endpoint.host, { recursive: true, mode: 0o700 });
  const owner = account?.uid ?? process.getuid?.();
  const found = lstatSync(endpoint.host);
  if (!found.isDirectory() || (found.uid !== owner && found.uid !== process.getuid?.())) {
    throw new EmbeddedPostgresError(
      `Another user has replaced the socket directory ${endpoint.host}. Remove it and start Carillon again.`,
    );
  }
  chmodSync(endpoint.host, 0o700);
  if (account !== undefined) lchownSync(endpoint.host, account.uid, account.gid);
  removeSocket(endpoint);
}

/**
 * Removes only the files that our own server leaves there: as root, the path may come from a file that the account can write.
 */
export function removeEndpoint(endpoint: ServerEndpoint): void {
  if (!isSocket(endpoint) || !path.basename(endpoint.host).startsWith(PREFIX)) return;
  try {
    removeSocket(endpoint);
    rmdirSync(endpoint.host);
  } catch {
    // already gone
  }
}

export function endpointSettings(endpoint: ServerEndpoint): Record<string, string> {
  return isSocket(endpoint)
    ? {
        listen_addresses: '',
        unix_socket_directories: `"${endpoint.host}"`,
        unix_socket_permissions: '0700',
        port: String(endpoint.port),
      }
    : { listen_addresses: endpoint.host, port: String(endpoint.port) };
}

/**
 * `pg` and libpq both let ?host= override the host. "localhost" is there only because an empty host is not a valid URL, and
 * callers parse the URL (to name another database); the port is there because PGPORT would apply otherwise.
 */
export function urlOf(endpoint: ServerEndpoint, password: string): string {
  if (!isSocket(endpoint))
    return `postgresql://carillon:${password}@${endpoint.host}:${endpoint.port}/carillon`;
  return `postgresql://carillon:${password}@localhost:${endpoint.port}/carillon?host=${encodeURIComponent(endpoint.host)}`;
}

/**
 * Returns whether a PostgreSQL is there and able to start a session: sends an SSLRequest, which is answered before any login.
 */
export function answers(endpoint: ServerEndpoint): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = isSocket(endpoint)
      ? net.connect(socketOf(endpoint))
      : net.connect(endpoint.port, endpoint.host);
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(5000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('data', (reply) => finish(reply[0] === 0x4e || reply[0] === 0x53)); // "N" or "S"
    socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])); // SSLRequest
  });
}

function isSocket(endpoint: ServerEndpoint): boolean {
  return path.posix.isAbsolute(endpoint.host);
}

function socketOf(endpoint: ServerEndpoint): string {
  return path.join(endpoint.host, `.s.PGSQL.${endpoint.port}`);
}

function removeSocket(endpoint: ServerEndpoint): void {
  rmSync(socketOf(endpoint), { force: true });
  rmSync(`${socketOf(endpoint)}.lock`, { force: true });
}

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
