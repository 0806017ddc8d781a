import { type Static, Type } from 'typebox';
import { RingInput, RingSetting } from '../../../../channels/in-app/push/ring-setting.ts';
import { DateTime, JsonObject, Nullable, OneOf } from '../../../../http/schema.ts';

const Secret = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }));

const WebPushInput = Type.Object({
  contact: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'An email address or an https URL for the push service to contact you.',
  }),
});

const ApnsInput = Type.Object({
  team_id: Type.String({ maxLength: 20 }),
  key_id: Type.String({ maxLength: 20, description: 'The id of the key, which is part of the file name.' }),
  bundle_id: Type.String({ maxLength: 255, description: 'The bundle id of the app.' }),
  environment: Type.Optional(
    OneOf(['production', 'sandbox'], {
      description: '`sandbox` for apps that Xcode installed; defaults to `production`.',
    }),
  ),
  private_key: Secret(
    2_000,
    'The contents of the .p8 file. Write-only; may be omitted while the key id stays the same.',
  ),
});

const FcmInput = Type.Object({
  service_account: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...JsonObject,
      description:
        'The key file of a service account with the role "Firebase Cloud Messaging API Admin". Write-only; if omitted, the stored one is kept.',
    }),
  ),
});

export const PushSettingsBody = Type.Object(
  {
    ring: Type.Optional(
      Nullable(
        Type.Object(RingInput.properties, {
          description:
            'When items ring, unless their template or category says otherwise. By default always.',
        }),
      ),
    ),
    web_push: Type.Optional(Nullable(WebPushInput)),
    apns: Type.Optional(Nullable(ApnsInput)),
    fcm: Type.Optional(Nullable(FcmInput)),
  },
  {
    title: 'PushSettingsRequest',
    description: 'A service that is omitted or null is switched off.',
    examples: [{ ring: { mode: 'unseen', after_seconds: 30 }, web_push: { contact: 'ops@acme.example' } }],
  },
);
export type PushSettingsBody = Static<typeof PushSettingsBody>;

const Check = Nullable(
  Type.Object(
    { ok: Type.Boolean(), detail: Type.String(), at: DateTime },
    { title: 'PushCheck', description: 'The answer of the service when the settings were saved or tested.' },
  ),
);

export const PushSettingsView = Type.Object(
  {
    ring: RingSetting,
    web_push: Nullable(
      Type.Object({
        contact: Type.String(),
        public_key: Type.String({
          description:
            'The VAPID key that browsers subscribe with. The pair is made here and stays the same.',
        }),
        check: Check,
      }),
    ),
    apns: Nullable(
      Type.Object({
        team_id: Type.String(),
        key_id: Type.String(),
        bundle_id: Type.String(),
        environment: OneOf(['production', 'sandbox']),
        check: Check,
      }),
    ),
    fcm: Nullable(Type.Object({ project_id: Type.String(), client_email: Type.String(), check: Check })),
  },
  { title: 'PushSettings' },
);
export type PushSettingsView = Static<typeof PushSettingsView>;
