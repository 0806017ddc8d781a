import { lookup } from 'node:dns/promises';
import { BlockList, connect, isIP, type LookupFunction, type Socket } from 'node:net';

/**
 * The network policy for outbound calls. Hosts come from tenants, so without a guard a tenant could make us call the machine's
 * own services, the private network or a cloud's metadata address. The check applies to the addresses that the connection then
 * uses (resolved once, pinned), so a name that resolves differently the second time gains nothing.
 */
export type NetworkPolicy = 'none' | 'loopback' | 'all';

/** The host has no address that the policy allows. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
}

type Subnet = readonly [network: string, prefix: number];

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

// One list per family: a BlockList compares IPv4 with its IPv6 rules too (as mapped addresses), and ::/3 below would
// then cover all of IPv4.
const loopback = {
  ipv4: blockList('ipv4', [['127.0.0.0', 8]]),
  ipv6: blockList('ipv6', [['::1', 128]]),
};

const nonPublic = {
  // The special-purpose ranges of IANA's registry, multicast and the reserved top.
  ipv4: blockList('ipv4', [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
    ['168.63.129.16', 32], // Azure's own services for each machine: the one metadata address among the public ones
  ]),
  // For IPv6 the rule is inverted: only 2000::/3 is public. That leaves out loopback, link-local, unique local, multicast, and
  // the forms that embed an IPv4 address: ::ffff:0:0/96 (mapped), 64:ff9b::/96 (NAT64). Within 2000::/3, Teredo and 6to4 embed
  // one as well.
  ipv6: blockList('ipv6', [
    ['::', 3],
    ['4000::', 2],
    ['8000::', 1],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ]),
};

export function isAllowedAddress(ip: string, policy: NetworkPolicy): boolean {
  const version = isIP(ip);
  if (version === 0) return false;
  if (policy === 'all') return true;
  if (ip.includes('%')) return false; // a zone belongs to link-local addresses only
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (!nonPublic[family].check(ip, family)) return true;
  return policy === 'loopback' && loopback[family].check(ip, family);
}

export function assertAllowedAddress(ip: string, policy: NetworkPolicy): void {
  if (!isAllowedAddress(ip, policy)) {
    throw new AddressRefused(
      'The host is not a public address. The operator can allow others with CARILLON_ALLOW_PRIVATE_NETWORK.',
    );
  }
}

/** Resolves the allowed addresses of a host, in the resolver's order; throws AddressRefused when there is none. */
export async function resolveAllowed(host: string, policy: NetworkPolicy): Promise<string[]> {
  const found = isIP(host) ? [host] : (await lookup(host, { all: true })).map((entry) => entry.address);
  const allowed = found.filter((ip) => isAllowedAddress(ip, policy));
  if (allowed.length === 0) assertAllowedAddress(found[0] ?? '', policy);
  return allowed;
}

interface ConnectOptions {
  host: string;
  port: number;
  policy: NetworkPolicy;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Opens a TCP connection to a host whose address was checked. Several addresses are tried one after the other (RFC 8305). */
export function connectAllowed({ host, port, policy, timeoutMs, signal }: ConnectOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let socket: Socket | null = null;
    let settled = false;
    const settle = (): void => {
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown): void => {
      settle();
      socket?.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    // One limit covers the lookup and the connection: a resolver can hang too.
    const timer = setTimeout(() => fail(new ConnectTimeout('The host did not answer in time.')), timeoutMs);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();

    resolveAllowed(host, policy).then((addresses) => {
      if (settled) return;
      const pinned: LookupFunction = (_host, _options, callback) => {
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        );
      };
      const opened = connect({ host, port, lookup: pinned, autoSelectFamily: true });
      socket = opened;
      opened.once('error', fail);
      opened.once('connect', () => {
        opened.off('error', fail);
        settle();
        resolve(opened);
      });
    }, fail);
  });
}

export const maxUrlLength = 2_048;

/**
 * Parses a URL for an outbound call and reports at once a problem that can never go away. Names are resolved when the call is
 * made, not here, because their addresses may change.
 */
export function parseTarget(text: string, policy: NetworkPolicy): { url: URL } | { problem: string } {
  const url = /[\s\p{Cc}]/u.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return { problem: 'must be an http or https URL' };
  if (url.href.length > maxUrlLength) return { problem: `must have at most ${maxUrlLength} characters` };
  if (url.username || url.password) return { problem: 'must not contain a user name or password' };
  if (url.port === '0') return { problem: 'must not use port 0' };
  // The URL parser has normalized every spelling of an IPv4 address (decimal, octal, hexadecimal, short).
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const local = host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : host;
  try {
    if (isIP(local)) assertAllowedAddress(local, policy);
  } catch (error) {
    if (error instanceof AddressRefused)
      return { problem: 'must not be a private or local address on this server' };
    throw error;
  }
  return { url };
}
