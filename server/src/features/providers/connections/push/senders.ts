import type { SendersFor } from '../../../../channels/delivery-plan.ts';
import { createApnsSender } from '../../../../channels/in-app/push/apns.ts';
import type { DeviceKind, PushSender } from '../../../../channels/in-app/push/contract.ts';
import { createFcmSender } from '../../../../channels/in-app/push/fcm.ts';
import { createWebPushSender } from '../../../../channels/in-app/push/web-push.ts';
import type { Deps } from '../../../../deps.ts';
import { createCache } from '../../../../kernel/cache.ts';
import { createSenderCache } from '../sender-cache.ts';
import {
  listVersionedPushSettings,
  openPushKeys,
  type PushSettings,
  type StoredPushSettings,
} from './store.ts';

type PushSenders = { [Kind in DeviceKind]?: PushSender };

/** The push services of an environment; `problem` says why there are none although there are settings. */
export interface PushConnection {
  senders: PushSenders;
  problem: string | null;
}

export interface PushConnections {
  /** A connection is cached for the version of its settings. */
  connectionsFor: SendersFor<PushConnection>;
}

type SenderDeps = Pick<Deps, 'config' | 'clock' | 'outbound' | 'http2'>;

const apnsOrigins = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
};

/** `settings` with decrypted keys. */
export function createPushSenders(
  { config, clock, outbound, http2 }: SenderDeps,
  { environment_id: account, vapid, web_push: webPush, apns, fcm }: PushSettings,
): PushSenders {
  const senders: PushSenders = {};
  if (webPush && vapid) {
    const { contact } = webPush;
    const subject = contact.startsWith('https:') ? contact : `mailto:${contact}`;
    const keys = { publicKey: vapid.public_key, privateKey: vapid.private_key };
    senders.web_push = createWebPushSender({ ...keys, subject }, { outbound, clock });
  }
  if (apns) {
    const { team_id: teamId, key_id: keyId, bundle_id: bundleId, private_key: privateKey } = apns;
    const origin = config.CARILLON_APNS_API_URL ?? apnsOrigins[apns.environment];
    // Apple's connections are for one key: with another one, they refuse every call.
    const settings = {
      teamId,
      keyId,
      bundleId,
      privateKey,
      origin,
      account: `${account} ${teamId} ${keyId}`,
    };
    senders.apns = createApnsSender(settings, { http2, clock });
  }
  if (fcm) {
    const {
      project_id: projectId,
      client_email: clientEmail,
      token_uri: tokenUri,
      private_key: privateKey,
    } = fcm;
    const serviceAccount = { projectId, clientEmail, tokenUri, privateKey };
    const settings = { serviceAccount, origin: config.CARILLON_FCM_API_URL, account };
    senders.fcm = createFcmSender(settings, { http2, outbound, clock });
  }
  return senders;
}

export function createPushConnections(
  deps: SenderDeps & Pick<Deps, 'pool' | 'keyring' | 'log'>,
): PushConnections {
  const { pool, keyring, log, clock } = deps;

  function connectionOf(settings: PushSettings | undefined): PushConnection {
    if (!settings) return { senders: {}, problem: 'The environment has no push settings.' };
    const { environment_id: environmentId } = settings;
    try {
      const opened = { ...settings, ...openPushKeys(keyring, environmentId, settings) };
      return { senders: createPushSenders(deps, opened), problem: null };
    } catch (error) {
      log.error({ err: error, environmentId }, 'cannot use the push settings');
      return { senders: {}, problem: 'The stored keys cannot be decrypted; enter them again.' };
    }
  }

  const made = createCache<{ savedAt: string; connection: PushConnection }>(10_000);

  /** Kept as long as the settings, also over a check: Apple and Google count how often the tokens of a sender are renewed. */
  function keptConnection(settings: StoredPushSettings | undefined): PushConnection {
    const known = settings && made.get(settings.environment_id);
    if (settings && known?.savedAt === settings.saved_at) return known.connection;
    const connection = connectionOf(settings);
    if (settings && connection.problem === null)
      made.set(settings.environment_id, { savedAt: settings.saved_at, connection });
    return connection;
  }

  return {
    connectionsFor: createSenderCache<StoredPushSettings, PushConnection>({
      read: (environmentIds) => listVersionedPushSettings(pool, environmentIds),
      make: (_environment, settings) => keptConnection(settings),
      clock,
    }),
  };
}
