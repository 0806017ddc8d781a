import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AddressRefused, ConnectTimeout, connectAllowed, isAllowedAddress, resolveAllowed } from './net.ts';

describe('the network policy', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'not an address',
    '',
  ])('keeps us away from %s unless everything is allowed', (ip) => {
    expect(isAllowedAddress(ip, 'none')).toBe(false);
    expect(isAllowedAddress(ip, 'loopback')).toBe(false);
  });

  it.each([
    ['AWS, Google Cloud, Azure, DigitalOcean', '169.254.169.254'],
    ['AWS', 'fd00:ec2::254'],
    ['AWS containers', '169.254.170.2'],
    ['AWS containers', '169.254.170.23'],
    ['AWS containers', 'fd00:ec2::23'],
    ['Google Cloud', 'fd20:ce::254'],
    ['Azure, the wire server', '168.63.129.16'],
    ['Alibaba Cloud', '100.100.100.200'],
    ['Oracle Cloud', '192.0.0.192'],
    ['Tencent Cloud', '169.254.0.23'],
    ['Scaleway', '169.254.42.42'],
    ['Scaleway', 'fd00:42::42'],
    ['OpenStack', 'fe80::a9fe:a9fe'],
  ])('keeps us away from the metadata of %s at %s', (_cloud, ip) => {
    expect(isAllowedAddress(ip, 'none')).toBe(false);
    expect(isAllowedAddress(ip, 'loopback')).toBe(false);
  });

  it.each(['127.0.0.1', '127.255.0.9', '::1', '0:0:0:0:0:0:0:1'])(
    'lets us reach %s when loopback is allowed',
    (ip) => {
      expect(isAllowedAddress(ip, 'none')).toBe(false);
      expect(isAllowedAddress(ip, 'loopback')).toBe(true);
    },
  );

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '168.63.129.15',
    '172.32.0.1',
    '192.0.1.1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ])('lets us reach %s always', (ip) => {
    expect(isAllowedAddress(ip, 'none')).toBe(true);
  });

  it('lets us reach every address when all are allowed', () => {
    expect(isAllowedAddress('169.254.169.254', 'all')).toBe(true);
    expect(isAllowedAddress('fe80::1', 'all')).toBe(true);
    expect(isAllowedAddress('not an address', 'all')).toBe(false);
  });
});

describe('resolving', () => {
  it('judges what a name resolves to, not how it is written', async () => {
    await expect(resolveAllowed('localhost', 'none')).rejects.toBeInstanceOf(AddressRefused);
    await expect(resolveAllowed('127.1', 'none')).rejects.toBeInstanceOf(AddressRefused);
    await expect(resolveAllowed('2130706433', 'none')).rejects.toBeInstanceOf(AddressRefused);
    expect(await resolveAllowed('127.0.0.1', 'loopback')).toEqual(['127.0.0.1']);
  });
});

describe('connecting', () => {
  const signal = new AbortController().signal;

  it('refuses before a packet is sent', async () => {
    const attempt = connectAllowed({ host: '127.0.0.1', port: 1, policy: 'none', timeoutMs: 1000, signal });
    await expect(attempt).rejects.toBeInstanceOf(AddressRefused);
  });

  it('reaches an allowed host by name, and stops when told', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const options = { host: 'localhost', port, policy: 'loopback', timeoutMs: 1000 } as const;
    const socket = await connectAllowed({ ...options, signal });
    expect(socket.remotePort).toBe(port);
    socket.destroy();
    await expect(connectAllowed({ ...options, signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    await new Promise((resolve) => server.close(resolve));
  });

  it('gives up after its time', async () => {
    const attempt = connectAllowed({ host: '127.0.0.1', port: 1, policy: 'loopback', timeoutMs: 0, signal });
    await expect(attempt).rejects.toSatisfy(
      (error) => error instanceof ConnectTimeout || (error as { code?: string }).code === 'ECONNREFUSED',
    );
  });
});
