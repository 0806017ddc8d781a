import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newId } from '../../../kernel/ids.ts';
import type { LinkSecret, LinkSecrets } from './secrets.ts';
import { bytesOfId, callbackUrl, idOfBytes, makeToken, readCallbackToken, readToken } from './token.ts';

const ours: LinkSecret = { environmentId: newId(), handle: randomBytes(8), secret: randomBytes(32) };
const theirs: LinkSecret = { environmentId: newId(), handle: randomBytes(8), secret: randomBytes(32) };
const secrets: LinkSecrets = {
  secretsFor: async () => new Map([ours, theirs].map((secret) => [secret.environmentId, secret])),
  find: async (handle) => [ours, theirs].find((secret) => secret.handle.equals(handle)) ?? null,
};

it('a token says what was put into it, and whose it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
      const payload = Buffer.from(bytes);
      const token = makeToken(ours, 'click', payload);
      expect(makeToken(ours, 'click', payload)).toBe(token);
      expect(await readToken(secrets, 'click', token)).toEqual({
        environmentId: ours.environmentId,
        payload,
      });
    }),
  );
});

it('altered in any bit, cut, or made longer, it is none', async () => {
  const token = makeToken(ours, 'open', bytesOfId(newId()));
  const bytes = Buffer.from(token, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(await readToken(secrets, 'open', altered.toString('base64url'))).toBeNull();
  }
  for (const text of ['', token.slice(0, -1), `${token}A`, `${token}=`, `${token} `, token.toLowerCase()])
    expect(await readToken(secrets, 'open', text)).toBeNull();
});

it('one made for something else, or with the secret of somebody else, is none', async () => {
  const payload = bytesOfId(newId());
  expect(await readToken(secrets, 'click', makeToken(ours, 'open', payload))).toBeNull();
  expect(
    await readToken(secrets, 'open', makeToken({ ...ours, secret: theirs.secret }, 'open', payload)),
  ).toBeNull();
  expect(
    await readToken(secrets, 'open', makeToken({ ...ours, handle: theirs.handle }, 'open', payload)),
  ).toBeNull();
  expect(
    await readToken(secrets, 'open', makeToken({ ...ours, handle: randomBytes(8) }, 'open', payload)),
  ).toBeNull();
});

it('the address of a provider names it', async () => {
  const id = newId();
  expect(idOfBytes(bytesOfId(id))).toBe(id);
  const url = callbackUrl('https://n.example', ours, 'ses', id);
  const [, token = ''] = /^https:\/\/n\.example\/hooks\/ses\/([\w-]+)$/.exec(url) ?? [];
  expect(await readCallbackToken(secrets, token)).toEqual({
    environmentId: ours.environmentId,
    providerId: id,
  });
  expect(await readCallbackToken(secrets, makeToken(ours, 'callback', Buffer.from('short')))).toBeNull();
});
