import { createECDH, randomBytes } from 'node:crypto';
import { decrypt } from 'http_ece';
import { describe, expect, it } from 'vitest';
import { encryptMessage, keyProblem, maxPlaintextBytes } from './encrypt.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

/** The values of RFC 8291, appendix A. */
const rfc = {
  plaintext: 'When I grow up, I want to be a watermelon',
  ourPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  theirPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  result:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

describe('the encryption of a web push', () => {
  it('gives the message of the example in RFC 8291, byte for byte', () => {
    const key = createECDH('prime256v1');
    key.setPrivateKey(bytes(rfc.ourPrivate));
    const message = encryptMessage(
      Buffer.from(rfc.plaintext),
      { p256dh: rfc.theirPublic, auth: rfc.auth },
      { salt: bytes(rfc.salt), key },
    );
    expect(message.toString('base64url')).toBe(rfc.result);
  });

  it('is read by another implementation, up to the largest message that fits 4,096 bytes', () => {
    for (const length of [0, 1, 100, maxPlaintextBytes]) {
      const browser = createECDH('prime256v1');
      const p256dh = browser.generateKeys().toString('base64url');
      const auth = randomBytes(16).toString('base64url');
      const plaintext = randomBytes(length);
      const message = encryptMessage(plaintext, { p256dh, auth });
      expect(message.length).toBe(length + 103);
      expect(decrypt(message, { version: 'aes128gcm', privateKey: browser, authSecret: auth })).toEqual(
        plaintext,
      );
    }
    expect(maxPlaintextBytes + 103).toBe(4_096);
  });

  it('refuses keys that are no keys, by the field', () => {
    const good = { p256dh: rfc.theirPublic, auth: rfc.auth };
    expect(keyProblem(good)).toBeNull();
    const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url');
    for (const p256dh of ['', 'x', offCurve, good.p256dh.slice(0, 40)])
      expect(keyProblem({ ...good, p256dh })).toMatchObject({ field: 'p256dh' });
    expect(keyProblem({ ...good, auth: 'short' })).toMatchObject({ field: 'auth' });
  });
});
