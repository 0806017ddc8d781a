import type { DeviceAddress, DeviceKind } from '../../../channels/in-app/push/contract.ts';
import { keyProblem } from '../../../channels/in-app/push/encrypt.ts';
import { isPushHost, knownPushHosts } from '../../../channels/in-app/push/web-push.ts';
import { type NetworkPolicy, parseTarget } from '../../../channels/net.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { invalidParameter, missingParameter } from '../../../kernel/errors.ts';
import type { DeviceBody } from './schema.ts';

interface ReadDevice {
  address: DeviceAddress;
  /** The host of the push service. */
  service: string;
}

const services: Record<Exclude<DeviceKind, 'web_push'>, string> = {
  apns: 'api.push.apple.com',
  fcm: 'fcm.googleapis.com',
};

/** Checks the address of a device. The push hosts are a list: without it, a browser could make us call any server. */
export function readDevice(
  { kind, endpoint, keys, token }: DeviceBody,
  allowed: { policy: NetworkPolicy; hosts: readonly string[] },
): ReadDevice {
  if (kind === 'web_push') {
    if (!endpoint) throw missingParameter('endpoint');
    if (!keys) throw missingParameter('keys');
    const problem = keyProblem(keys);
    if (problem) throw invalidParameter(`keys.${problem.field}`, `keys.${problem.field} ${problem.problem}.`);
    const { p256dh, auth } = keys;
    const url = pushUrlOf(endpoint, allowed);
    return { address: { kind, endpoint: url.href, p256dh, auth }, service: url.hostname };
  }
  if (!token) throw missingParameter('token');
  const isWellFormed = kind === 'apns' ? /^([0-9a-f]{2}){32,100}$/i : /^[\w:%-]{20,}$/;
  if (!isWellFormed.test(token))
    throw invalidParameter(
      'token',
      kind === 'apns'
        ? 'token must be the device token in hexadecimal digits, at least 64 of them.'
        : 'token must be a registration token of FCM.',
    );
  // Apple's tokens are bytes: both spellings name one device.
  const spelled = kind === 'apns' ? token.toLowerCase() : token;
  return { address: { kind, token: spelled }, service: services[kind] };
}

/** In one spelling: a browser is one device. */
function pushUrlOf(
  endpoint: string,
  { policy, hosts }: { policy: NetworkPolicy; hosts: readonly string[] },
): URL {
  const target = parseTarget(endpoint, policy);
  if ('problem' in target) throw invalidParameter('endpoint', `endpoint ${target.problem}.`);
  const { hostname, protocol } = target.url;
  const isExtra = isPushHost(hostname, hosts);
  if (protocol !== 'https:' && !isExtra) throw invalidParameter('endpoint', 'endpoint must be an https URL.');
  if (!isExtra && !isPushHost(hostname, knownPushHosts))
    throw invalidParameter(
      'endpoint',
      'endpoint is not at a known push service. The operator can allow others with CARILLON_WEB_PUSH_HOSTS.',
    );
  const url = new URL(target.url);
  url.hash = '';
  return url;
}

/** Identifies the device, regardless of the user who registers it. */
export function identityOf(address: DeviceAddress): Buffer {
  return sha256(`${address.kind} ${address.kind === 'web_push' ? address.endpoint : address.token}`);
}

/** The encryption context of a stored address. */
export function addressContext(environmentId: string, identity: string): string {
  return `device:${environmentId}:${identity}`;
}
