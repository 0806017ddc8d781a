import { isIPv4 } from 'node:net';
import type { SMTPServerDataStream } from 'smtp-server';
import type { Principal } from '../../http/principal.ts';
import { createTokenBuckets } from '../../http/token-buckets.ts';
import { Problem } from '../../kernel/errors.ts';
import { networkOf } from '../platform/accounts/index.ts';

export const smtpLimits = {
  /** 15 MiB of attachments in base64, with line breaks, and the bodies. */
  messageBytes: 24 * 1_048_576,
  /** RFC 5321 4.5.3.1.8 asks for at least 100. Clients continue with the rest in another message. */
  recipients: 100,
  /** In one process. */
  connections: 1_000,
  /** Signed in, in one process: an organization with many keys leaves connections to the others. */
  connectionsPerOrganization: 250,
  /** The messages that are being received or written, in one process. */
  bytesInProgress: 96 * 1_048_576,
  /** One message of the largest size, so that slow connections of one environment leave room for the others. */
  bytesInProgressPerEnvironment: 24 * 1_048_576,
  /** RFC 5321 4.5.3.2.7 asks for five minutes. */
  idleMs: 300_000,
  /** From the connection to the sign-in. */
  signInMs: 60_000,
  /** From DATA to the final dot: a client that sends a byte a minute is never idle. */
  receiveMs: 600_000,
  failedSignInsPerConnection: 3,
  /** For all connections of one network; beyond that, each failure is answered late. */
  failedSignInsPerNetwork: { burst: 20, perMinute: 10, delayMs: 5_000 },
} as const;

/** The open connections by address, API key or organization. */
export function createConnectionCounts(limit: number) {
  const counts = new Map<string, number>();
  return {
    open(owner: string): void {
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    },
    close(owner: string): void {
      const left = (counts.get(owner) ?? 1) - 1;
      if (left === 0) counts.delete(owner);
      else counts.set(owner, left);
    },
    isOver: (owner: string): boolean => (counts.get(owner) ?? 0) > limit,
  };
}

/** The signed-in connections. `open` returns the function that counts the connection out again; null when it is one too many. */
export function createSignedInCounts(limits: { perKey: number; perOrganization: number }) {
  const byKey = createConnectionCounts(limits.perKey);
  const byOrganization = createConnectionCounts(limits.perOrganization);
  return {
    open({ id, organizationId }: Pick<Principal, 'id' | 'organizationId'>): (() => void) | null {
      byKey.open(id);
      byOrganization.open(organizationId);
      const close = (): void => {
        byKey.close(id);
        byOrganization.close(organizationId);
      };
      if (!byKey.isOver(id) && !byOrganization.isOver(organizationId)) return close;
      close();
      return null;
    },
  };
}

/** An IPv6 customer has a whole network of addresses. */
export function addressKey(address: string): string {
  const ipv4 = address.replace(/^::ffff:/i, '');
  return isIPv4(ipv4) ? ipv4 : networkOf({ ipAddress: address });
}

/**
 * The delay of the answer to a failed sign-in. Keys cannot be guessed; the limit keeps guesses from costing queries. A right key
 * is never refused: one client with an old key must not lock out the others of its network.
 */
export function createSignInGuard(): (address: string) => number {
  const { burst, perMinute, delayMs } = smtpLimits.failedSignInsPerNetwork;
  const failures = createTokenBuckets({ ratePerSecond: perMinute / 60, burst });
  return (address) => (failures.take(networkOf({ ipAddress: address })).allowed ? 0 : delayMs);
}

const maxPieces = 1_024;

/** Reads messages into memory, and bounds how much those of one environment, and all of them, take together. */
export function createReceiver(limits: Record<'bytesInProgress' | 'bytesInProgressPerEnvironment', number>) {
  let total = 0;
  const byEnvironment = new Map<string, number>();

  function count(environmentId: string, bytes: number): void {
    total += bytes;
    const left = (byEnvironment.get(environmentId) ?? 0) + bytes;
    if (left === 0) byEnvironment.delete(environmentId);
    else byEnvironment.set(environmentId, left);
  }

  const hasRoom = (environmentId: string, bytes: number): boolean =>
    total + bytes <= limits.bytesInProgress &&
    (byEnvironment.get(environmentId) ?? 0) + bytes <= limits.bytesInProgressPerEnvironment;

  return {
    /** Reads a message and hands it to `use`; its bytes count until that ends. */
    async read<Result>(
      environmentId: string,
      stream: SMTPServerDataStream,
      use: (bytes: Buffer) => Promise<Result>,
    ): Promise<Result> {
      let blocks: Buffer[] = [];
      /** A client that sends byte by byte makes pieces that take far more memory than they have. */
      let pieces: Buffer[] = [];
      let counted = 0;
      let isRefused = false;
      const release = (): void => {
        count(environmentId, -counted);
        blocks = [];
        pieces = [];
        counted = 0;
      };
      try {
        for await (const chunk of chunksOf(stream)) {
          if (stream.sizeExceeded) break;
          // The rest of a message without room is read and dropped: a client looks for the reply after the final dot.
          isRefused ||= !hasRoom(environmentId, chunk.length);
          if (isRefused) {
            release();
            continue;
          }
          pieces.push(chunk);
          if (pieces.length === maxPieces) blocks.push(Buffer.concat(pieces.splice(0)));
          counted += chunk.length;
          count(environmentId, chunk.length);
        }
        if (stream.sizeExceeded) throw new Problem('payload_too_large', 'The message is too large.');
        if (isRefused)
          throw new Problem('temporarily_unavailable', 'Too many messages are being received. Try again.');
        return await use(Buffer.concat([...blocks, ...pieces]));
      } finally {
        release();
      }
    },
  };
}

async function* chunksOf(stream: SMTPServerDataStream): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch {
    throw new Problem('invalid_json', 'The connection ended before the message did.');
  }
}
