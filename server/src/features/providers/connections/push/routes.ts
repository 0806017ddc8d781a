import { checkEnvironment } from '../../../../http/principal.ts';
import { type Route, route } from '../../../../http/route.ts';
import { EnvironmentParams } from '../../../../http/schema.ts';
import { PushSettingsBody, PushSettingsView } from './schema.ts';
import type { PushSettingsService } from './service.ts';

const path = '/v1/environments/:envId/push-settings';
const tag = 'Push settings';

export function pushSettingsRoutes({ pushSettings }: { pushSettings: PushSettingsService }): Route[] {
  return [
    route({
      method: 'GET',
      path,
      operation: 'getPushSettings',
      tag,
      summary: 'Get the push settings of an environment',
      access: 'channels:read',
      params: EnvironmentParams,
      responses: { 200: PushSettingsView },
      async handler({ principal, params }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await pushSettings.read(principal) };
      },
    }),
    route({
      method: 'PUT',
      path,
      operation: 'replacePushSettings',
      tag,
      summary: 'Create or replace the push settings of an environment',
      description:
        'Push rings the devices of a user when an item arrives in the inbox. Web push needs a contact, and its keys are made here; APNs a .p8 key; FCM a service account. Apple and Google are asked whether they accept the keys (10 seconds at most), and the settings are saved in any case: `check` shows the answer. In a Test environment rings end in the sandbox.',
      access: 'channels:write',
      params: EnvironmentParams,
      body: PushSettingsBody,
      responses: { 200: PushSettingsView },
      async handler({ principal, params, body, requestId }) {
        checkEnvironment(principal, params.envId);
        return { status: 200, body: await pushSettings.replace({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'DELETE',
      path,
      operation: 'deletePushSettings',
      tag,
      summary: 'Delete the push settings of an environment',
      description:
        'Items then reach the inbox only. Devices stay registered, but new settings have new VAPID keys, so browsers have to subscribe again.',
      access: 'channels:write',
      params: EnvironmentParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        checkEnvironment(principal, params.envId);
        await pushSettings.remove({ principal, requestId });
        return { status: 204 };
      },
    }),
  ];
}
