import type { SealedColumn } from '../../../../db/reseal.ts';
import type { Keyring } from '../../../../kernel/crypto.ts';
import type { PushSettings } from './store.ts';

const sealedParts = ['vapid', 'apns', 'fcm'] as const;
type SealedPart = (typeof sealedParts)[number];
type PushKeys = Pick<PushSettings, SealedPart>;

const contextOf = (environmentId: string, part: SealedPart): string =>
  `push_settings:${environmentId}:${part}`;

function mapKey<Part extends { private_key: string } | null>(
  part: Part,
  change: (key: string) => string,
): Part {
  return part && { ...part, private_key: change(part.private_key) };
}

export function sealPushKeys(keyring: Keyring, environmentId: string, keys: PushKeys): PushKeys {
  const seal = (part: SealedPart) => (key: string) => keyring.seal(key, contextOf(environmentId, part));
  return {
    vapid: mapKey(keys.vapid, seal('vapid')),
    apns: mapKey(keys.apns, seal('apns')),
    fcm: mapKey(keys.fcm, seal('fcm')),
  };
}

/** Throws when the key that sealed one of them is no longer configured. */
export function openPushKeys(keyring: Keyring, environmentId: string, keys: PushKeys): PushKeys {
  const open = (part: SealedPart) => (key: string) => keyring.open(key, contextOf(environmentId, part));
  return {
    vapid: mapKey(keys.vapid, open('vapid')),
    apns: mapKey(keys.apns, open('apns')),
    fcm: mapKey(keys.fcm, open('fcm')),
  };
}

export const pushSealedColumns: SealedColumn[] = sealedParts.map((column) => ({
  table: 'push_settings',
  key: 'environment_id',
  column,
  type: 'jsonb',
  reseal: (part: { private_key: string }, { environment_id = '' }, again) =>
    mapKey(part, (key) => again(key, contextOf(environment_id, column))),
}));
