import { type Static, Type } from 'typebox';
import { deviceKinds } from '../../../channels/in-app/push/contract.ts';
import { DateTime, Nullable, OneOf, PageOf, Uuid } from '../../../http/schema.ts';
import { oneLine, pattern } from '../../../kernel/patterns.ts';
import { ExternalUserId } from '../../people/users/index.ts';

const deviceLimits = { endpoint: 2_000, token: 1_000, label: 100 } as const;

export const DeviceBody = Type.Object(
  {
    kind: OneOf(deviceKinds),
    endpoint: Type.Optional(
      Nullable(
        Type.String({
          maxLength: deviceLimits.endpoint,
          description: 'For `web_push`: of the PushSubscription.',
        }),
      ),
    ),
    keys: Type.Optional(
      Nullable(
        Type.Object(
          { p256dh: Type.String({ maxLength: 200 }), auth: Type.String({ maxLength: 100 }) },
          { description: 'For `web_push`: of the PushSubscription.' },
        ),
      ),
    ),
    token: Type.Optional(
      Nullable(
        Type.String({
          maxLength: deviceLimits.token,
          description: 'For `apns` the device token in hexadecimal digits, for `fcm` the registration token.',
        }),
      ),
    ),
    label: Type.Optional(
      Nullable(
        Type.String({ maxLength: deviceLimits.label, pattern: oneLine, description: 'A name for people.' }),
      ),
    ),
  },
  {
    title: 'DeviceInput',
    examples: [
      {
        kind: 'web_push',
        endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAA',
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
        label: 'Firefox on Linux',
      },
    ],
  },
);
export type DeviceBody = Static<typeof DeviceBody>;

export const Device = Type.Object(
  {
    id: Uuid,
    kind: OneOf(deviceKinds),
    service: Type.String({ description: 'The host of the push service.' }),
    label: Nullable(Type.String()),
    created_at: DateTime,
    last_seen_at: Type.String({ format: 'date-time', description: 'When the device was last registered.' }),
    last_outcome: Nullable(
      Type.String({ description: 'Of the last push: accepted, retry, rejected, broken …' }),
    ),
    last_outcome_detail: Nullable(Type.String()),
    last_outcome_at: Nullable(DateTime),
  },
  { title: 'Device' },
);
export type Device = Static<typeof Device>;

export const DeviceList = PageOf(Device);
export const DeviceParams = Type.Object({ externalUserId: ExternalUserId, id: Uuid });

export const PushOffer = Type.Object(
  {
    web_push: Nullable(
      Type.Object({
        public_key: Type.String({ description: 'The `applicationServerKey` for PushManager.subscribe().' }),
      }),
    ),
    apns: Type.Boolean(),
    fcm: Type.Boolean(),
  },
  { title: 'PushOffer' },
);

export const PresenceBody = Type.Object(
  {
    page: Type.String({
      pattern: pattern('^[A-Za-z0-9_-]{1,64}$', 'up to 64 letters, digits, hyphens and underscores'),
      description: 'A random id of the page, the same until it is closed.',
    }),
    visible: Type.Boolean({ description: 'Whether the person can see the page.' }),
  },
  { title: 'InboxPresence', examples: [{ page: 'k3J9xQ', visible: true }] },
);

export const PushTestBody = Type.Object(
  {
    external_user_id: Type.Optional(Nullable(ExternalUserId)),
  },
  { title: 'PushTestRequest', examples: [{ external_user_id: 'user-1815' }] },
);

export const PushTestResult = Type.Object(
  {
    checks: Type.Array(Type.Object({ kind: OneOf(deviceKinds), ok: Type.Boolean(), detail: Type.String() })),
    devices: Type.Array(
      Type.Object({
        id: Uuid,
        kind: OneOf(deviceKinds),
        service: Type.String(),
        outcome: Type.String(),
        detail: Type.String(),
      }),
    ),
  },
  { title: 'PushTestResult' },
);
export type PushTestResult = Static<typeof PushTestResult>;
