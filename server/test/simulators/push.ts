import { startApnsSimulator } from './apns.ts';
import { startFcmSimulator } from './fcm.ts';
import type { Entry, Step } from './running.ts';
import { startWebPushSimulator } from './web-push.ts';

const user = 'push-user';
const send = {
  channel: 'in_app',
  recipient: { external_user_id: user },
  subject: 'Hello',
  html_body: 'Hello from Carillon.',
};

function steps(settings: object, device: object): Step[] {
  return [
    { method: 'PUT', path: '/v1/environments/{env}/push-settings', body: settings },
    { method: 'PUT', path: `/v1/users/${user}/devices`, body: device },
  ];
}

/** The ports of HTTP/2 simulators and of their controls. */
const controlOf = (port: number): number => (port === 0 ? 0 : port + 1);

/** Table: the simulated push services. */
export const pushSimulators: readonly Entry[] = [
  {
    name: 'web_push',
    port: 8_440,
    async start(port, onMessage) {
      const simulator = await startWebPushSimulator({
        port,
        onPush: ({ payload }) => onMessage(`→ ${payload.title ?? 'withdrawn'}`),
      });
      return {
        url: simulator.url,
        controlUrl: simulator.url,
        settings: { CARILLON_WEB_PUSH_HOSTS: simulator.host },
        steps: steps(
          { web_push: { contact: 'ops@acme.example' } },
          { kind: 'web_push', ...simulator.subscribe() },
        ),
        send,
        stop: simulator.stop,
      };
    },
  },
  {
    name: 'apns',
    port: 8_441,
    async start(port, onMessage) {
      const simulator = await startApnsSimulator({ port, controlPort: controlOf(port) });
      simulator.onPush = ({ token, payload }) =>
        onMessage(`→ ${token.slice(0, 8)}: ${payload.aps.alert?.title ?? 'withdrawn'}`);
      const { teamId, keyId, bundleId, privateKey } = simulator;
      const apns = { team_id: teamId, key_id: keyId, bundle_id: bundleId, private_key: privateKey };
      return {
        url: simulator.url,
        controlUrl: simulator.control.url,
        settings: { CARILLON_APNS_API_URL: simulator.url },
        steps: steps({ apns }, { kind: 'apns', token: 'ab'.repeat(32) }),
        send,
        stop: simulator.stop,
      };
    },
  },
  {
    name: 'fcm',
    port: 8_443,
    async start(port, onMessage) {
      const simulator = await startFcmSimulator({ port, controlPort: controlOf(port) });
      simulator.onPush = ({ token, message }) =>
        onMessage(`→ ${token.slice(0, 8)}: ${message.notification?.title ?? 'withdrawn'}`);
      return {
        url: simulator.url,
        controlUrl: simulator.control.url,
        settings: { CARILLON_FCM_API_URL: simulator.url },
        steps: steps(
          { fcm: { service_account: simulator.serviceAccount } },
          { kind: 'fcm', token: 'cd'.repeat(40) },
        ),
        send,
        stop: simulator.stop,
      };
    },
  },
];
