import { createCipheriv, createECDH, type ECDH, hash, randomFillSync } from 'node:crypto';

/** The keys of a subscription, base64url: the public key of the browser and the secret that it shares with the application. */
interface SubscriptionKeys {
  p256dh: string;
  auth: string;
}

/** A push service accepts bodies of 4,096 bytes: the header of 86, one byte that ends the padding, and the tag of 16 are ours. */
export const maxPlaintextBytes = 4_096 - 86 - 1 - 16;

const recordSize = 4_096;

/** The random part of an encryption; tests give that of the RFC. */
interface EncryptionRandomness {
  salt: Buffer;
  key: ECDH;
}

// The objects of node:crypto live outside the heap, and freeing those of thousands of messages took most of the pauses for garbage.
// So one object makes the key pair of each message, salts are cut from a supply, and HMAC is made of a hash, which needs no object.

const ephemeral = createECDH('prime256v1');
const salts = Buffer.alloc(64 * 16);
let saltsUsed = salts.length;

function newRandomness(): EncryptionRandomness {
  ephemeral.generateKeys();
  if (saltsUsed === salts.length) {
    randomFillSync(salts);
    saltsUsed = 0;
  }
  const salt = Buffer.from(salts.subarray(saltsUsed, saltsUsed + 16));
  saltsUsed += 16;
  return { salt, key: ephemeral };
}

/** Encrypts a message for one subscription (RFC 8291: `aes128gcm` of RFC 8188 with one record). Throws when the keys are invalid. */
export function encryptMessage(
  plaintext: Buffer,
  { p256dh, auth }: SubscriptionKeys,
  { salt, key }: EncryptionRandomness = newRandomness(),
): Buffer {
  const theirs = Buffer.from(p256dh, 'base64url');
  const ours = key.getPublicKey();
  const shared = key.computeSecret(theirs);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const secret = expand(hmac(Buffer.from(auth, 'base64url'), shared), info, 32);
  const messageKey = hmac(salt, secret);
  const contentKey = expand(messageKey, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = expand(messageKey, Buffer.from('Content-Encoding: nonce\0'), 12);

  const header = Buffer.alloc(21);
  salt.copy(header);
  header.writeUInt32BE(recordSize, 16);
  header.writeUInt8(ours.length, 20);
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce);
  const endOfRecord = Buffer.from([2]); // the last record, without padding
  return Buffer.concat([
    header,
    ours,
    cipher.update(plaintext),
    cipher.update(endOfRecord),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** The second step of HKDF (RFC 5869), for at most one block; the first is an HMAC. `hkdfSync` takes several times as long. */
function expand(pseudorandomKey: Buffer, info: Buffer, length: number): Buffer {
  return hmac(pseudorandomKey, Buffer.concat([info, firstBlock])).subarray(0, length);
}

const firstBlock = Buffer.from([1]);
const blockBytes = 64;

/** HMAC-SHA-256 (RFC 2104) with a key of at most one block. */
function hmac(key: Buffer, message: Buffer): Buffer {
  const inner = Buffer.allocUnsafe(blockBytes + message.length).fill(0x36, 0, blockBytes);
  const outer = Buffer.allocUnsafe(blockBytes + 32).fill(0x5c, 0, blockBytes);
  for (let index = 0; index < key.length; index += 1) {
    const byte = key.readUInt8(index);
    inner.writeUInt8(byte ^ 0x36, index);
    outer.writeUInt8(byte ^ 0x5c, index);
  }
  message.copy(inner, blockBytes);
  hash('sha256', inner, 'buffer').copy(outer, blockBytes);
  return hash('sha256', outer, 'buffer');
}

/** Reports what is wrong with the keys of a subscription; null when they can be used. Continues a sentence that begins with the field. */
export function keyProblem({
  p256dh,
  auth,
}: SubscriptionKeys): { field: 'p256dh' | 'auth'; problem: string } | null {
  const point = Buffer.from(p256dh, 'base64url');
  try {
    if (point.length !== 65) throw new Error('not an uncompressed point');
    const probe = createECDH('prime256v1');
    probe.generateKeys();
    probe.computeSecret(point); // rejects a point that is not on the curve
  } catch {
    return { field: 'p256dh', problem: 'must be a public key of the curve P-256: 65 bytes in base64url' };
  }
  if (Buffer.from(auth, 'base64url').length !== 16)
    return { field: 'auth', problem: 'must have 16 bytes in base64url' };
  return null;
}
