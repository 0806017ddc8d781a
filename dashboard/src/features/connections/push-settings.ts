import type { Client, PushSettings, PushSettingsRequest, RequestOptions } from '@carillon/sdk';
import { orNull } from '../../api/or-null.ts';

export const pushKinds = ['web_push', 'apns', 'fcm'] as const;
export type PushKind = (typeof pushKinds)[number];

export const pushKey = ['push-settings'];

const nothingSet: PushSettings = {
  ring: { mode: 'always', after_seconds: null },
  web_push: null,
  apns: null,
  fcm: null,
};

export async function readPush(
  api: Client,
  environmentId: string,
  options: RequestOptions = {},
): Promise<PushSettings> {
  return (await orNull(api.pushSettings.get(environmentId, options))) ?? nothingSet;
}

/**
 * Changes one part. The API replaces the whole, so the rest is read again: another person may have changed it. Keys are
 * write-only, and those that are omitted stay.
 */
export async function changePush(
  api: Client,
  environmentId: string,
  changes: PushSettingsRequest,
): Promise<PushSettings> {
  const saved = await readPush(api, environmentId);
  return api.pushSettings.replace(environmentId, { ...requestOf(saved), ...changes });
}

function requestOf({ ring, web_push: web, apns, fcm }: PushSettings): PushSettingsRequest {
  return {
    ring,
    web_push: web && { contact: web.contact },
    apns: apns && {
      team_id: apns.team_id,
      key_id: apns.key_id,
      bundle_id: apns.bundle_id,
      environment: apns.environment,
    },
    fcm: fcm && {},
  };
}
