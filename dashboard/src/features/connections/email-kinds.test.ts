import { expect, test } from 'vitest';
import { emailProviders } from '../../../../server/src/channels/registry.ts';
import { kindFields } from './email-kinds.ts';

test('the form of every email provider has the fields of its manifest', () => {
  const manifests = Object.values(emailProviders).map(({ manifest: { kind, fields } }) => [
    kind,
    fields.map(({ name, type, required, secret = false, receives = [] }) => ({
      name,
      type,
      required,
      secret,
      receives,
    })),
  ]);
  const forms = Object.entries(kindFields).map(([kind, fields]) => [
    kind,
    fields.map(({ name, type, required, secret, receives }) => ({ name, type, required, secret, receives })),
  ]);
  expect(Object.fromEntries(forms)).toEqual(Object.fromEntries(manifests));
});
