import { createPublicKey, createVerify, type KeyObject } from 'node:crypto';

/**
 * SendGrid shows the key as the base64 of its DER form, without the PEM lines; a key with them is accepted too. Returns null
 * when the text is not a key.
 */
export function publicKeyOf(text: string): KeyObject | null {
  const base64 = text.replace(/-----(BEGIN|END) PUBLIC KEY-----|\s/g, '');
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' ? key : null;
  } catch {
    return null;
  }
}

/** Verifies ECDSA over the timestamp and the raw bytes of the body. */
export function isSigned(key: KeyObject, timestamp: string, body: Buffer, signature: string): boolean {
  try {
    return createVerify('sha256').update(timestamp).update(body).verify(key, signature, 'base64');
  } catch {
    return false; // the signature is malformed
  }
}
