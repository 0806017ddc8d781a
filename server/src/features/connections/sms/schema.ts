import { type Static, Type } from 'typebox';
import { DateTime, Nullable, OneOf, Uuid } from '../../../http/schema.ts';

export const smsKinds = ['managed', 'smsone', 'smstwo'] as const;
export type SmsKind = (typeof smsKinds)[number];

export const shownKinds = { managed: 'Managed', smsone: 'Smsone', smstwo: 'Smstwo' } as const;

const Text = (description: string) => Type.Optional(Nullable(Type.String({ maxLength: 200, description })));

export const SmsSettingsBody = Type.Object(
  {
    kind: Type.String({
      maxLength: 20,
      description: '`managed`, `smsone` (Twilio) or `smstwo` (Vonage), in any case.',
    }),
    from_number: Text(
      'The sending number, in E.164 form. Refused with `managed` when the operator fixes the sender.',
    ),
    from_sender_id: Text(
      'An alphanumeric sender: up to 11 letters and digits, one letter at least. It is used wherever it is delivered; to the United States and Canada messages come from `from_number`. Refused with `managed` when the operator fixes the sender.',
    ),
    smsone_account_sid: Text('Of Twilio. Required with `smsone`, unless it is set already.'),
    smsone_auth_token: Text('Of Twilio. Required with `smsone`, unless it is set already for this account.'),
    smstwo_api_key: Text('Of Vonage. Required with `smstwo`, unless it is set already.'),
    smstwo_api_secret: Text('Of Vonage. Required with `smstwo`, unless it is set already for this key.'),
    smstwo_signature_secret: Text(
      'When it is set, delivery receipts must be signed with it. null removes it.',
    ),
  },
  {
    title: 'SmsSettingsRequest',
    examples: [
      {
        kind: 'smsone',
        from_number: '+14155550123',
        smsone_account_sid: 'AC00000000000000000000000000000000',
        smsone_auth_token: 'the auth token',
      },
    ],
  },
);
export type SmsSettingsBody = Static<typeof SmsSettingsBody>;

export const SmsSettingsView = Type.Object(
  {
    id: Uuid,
    kind: OneOf(Object.values(shownKinds)),
    from_number: Nullable(Type.String()),
    from_sender_id: Nullable(Type.String()),
    credentials_validated: Type.Boolean({
      description: 'Whether the provider accepted the credentials when they were saved.',
    }),
    credentials_validated_at: Nullable(DateTime),
    credentials_detail: Type.String({ description: 'What the provider said when it was asked.' }),
    callback_url: Nullable(
      Type.String({
        description:
          'Where the provider reports receipts and replies. Receipts are asked for with every message; for replies (STOP), set it in the provider as the URL for incoming messages.',
      }),
    ),
  },
  { title: 'SmsSettings' },
);
export type SmsSettingsView = Static<typeof SmsSettingsView>;
