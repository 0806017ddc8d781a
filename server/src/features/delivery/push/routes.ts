import { checkEnvironment } from '../../../http/principal.ts';
import { type Route, route } from '../../../http/route.ts';
import { EnvironmentParams, IdParams } from '../../../http/schema.ts';
import { UserParams } from '../../people/users/index.ts';
import {
  Device,
  DeviceBody,
  DeviceList,
  DeviceParams,
  PresenceBody,
  PushOffer,
  PushTestBody,
  PushTestResult,
} from './schema.ts';
import type { PushService } from './service.ts';

export function pushRoutes({ push }: { push: PushService }): Route[] {
  return [...ownDeviceRoutes(push), ...userDeviceRoutes(push), testRoute(push)];
}

/** Routes for the browser or app of a user. */
function ownDeviceRoutes(push: PushService): Route[] {
  const tag = 'Inbox';
  const access = 'recipient:inbox';
  return [
    route({
      method: 'GET',
      path: '/inbox/v1/push',
      operation: 'getPushOffer',
      tag,
      summary: 'Get what can be rung',
      description: 'The push services of the environment, and the public key that browsers subscribe with.',
      access,
      responses: { 200: PushOffer },
      async handler({ principal }) {
        return { status: 200, body: await push.offer(principal.environmentId) };
      },
    }),
    route({
      method: 'PUT',
      path: '/inbox/v1/devices',
      operation: 'registerOwnDevice',
      tag,
      summary: 'Register the device of the user',
      description:
        'Items of the inbox then ring it. Call it each time the app starts: tokens change, and a device belongs to the user who registered it last. A user has at most 100 devices; the one that was registered longest ago is replaced.',
      access,
      body: DeviceBody,
      responses: { 200: Device },
      async handler({ principal, body }) {
        return { status: 200, body: await push.register(principal, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/inbox/v1/devices/:id',
      operation: 'deleteOwnDevice',
      tag,
      summary: 'Remove a device of the user',
      description: 'For example when the user signs out. Returns 204 even if the device is unknown.',
      access,
      params: IdParams,
      responses: { 204: null },
      async handler({ principal, params }) {
        await push.remove(principal, params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'PUT',
      path: '/inbox/v1/presence',
      operation: 'setInboxPresence',
      tag,
      summary: 'Say whether the inbox is visible',
      description:
        'While a page with the inbox is visible, no device of the user rings. Repeat `visible: true` every 30 seconds: it counts for 60.',
      access,
      body: PresenceBody,
      responses: { 204: null },
      async handler({ principal, body }) {
        await push.setPresence(principal, body.page, body.visible);
        return { status: 204 };
      },
    }),
  ];
}

/** Routes for the application, about one of its users. */
function userDeviceRoutes(push: PushService): Route[] {
  const tag = 'Users';
  const path = '/v1/users/:externalUserId/devices';
  return [
    route({
      method: 'GET',
      path,
      operation: 'listUserDevices',
      tag,
      summary: 'List the devices of a user',
      description: 'All of them, the last registered first. Endpoints and tokens are not shown.',
      access: 'preferences:read',
      params: UserParams,
      responses: { 200: DeviceList },
      async handler({ principal: { environmentId }, params: { externalUserId } }) {
        const data = await push.list({ environmentId, externalUserId });
        return { status: 200, body: { data, next_cursor: null } };
      },
    }),
    route({
      method: 'PUT',
      path,
      operation: 'registerUserDevice',
      tag,
      summary: 'Register a device of a user',
      description: 'For servers that collect the tokens of their apps, and for moving from another system.',
      access: 'preferences:write',
      params: UserParams,
      body: DeviceBody,
      responses: { 200: Device },
      async handler({ principal, params, body, requestId }) {
        const device = await push.registerFor({ principal, requestId }, params.externalUserId, body);
        return { status: 200, body: device };
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:id`,
      operation: 'deleteUserDevice',
      tag,
      summary: 'Remove a device of a user',
      access: 'preferences:write',
      params: DeviceParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        await push.removeFor({ principal, requestId }, params.externalUserId, params.id);
        return { status: 204 };
      },
    }),
  ];
}

function testRoute(push: PushService): Route {
  return route({
    method: 'POST',
    path: '/v1/environments/:envId/push-settings/test',
    operation: 'testPushSettings',
    tag: 'Push settings',
    summary: 'Test the push settings of an environment',
    description:
      'Asks Apple and Google whether they accept the keys. With a user, it also rings the devices of the user, in Test environments too.',
    access: 'channels:write',
    params: EnvironmentParams,
    body: PushTestBody,
    bodyOptional: true,
    responses: { 200: PushTestResult },
    async handler({ principal, params, body }) {
      checkEnvironment(principal, params.envId);
      return { status: 200, body: await push.test(principal, body.external_user_id ?? null) };
    },
  });
}
