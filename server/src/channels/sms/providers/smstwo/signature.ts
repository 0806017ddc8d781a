import { createHash, createHmac } from 'node:crypto';
import { sameBytes } from '../../../../kernel/crypto.ts';

export type Params = Record<string, string>;

/** The signed text: every parameter except the signature, sorted, with the separators taken out of the values. */
export function signedText(params: Params): string {
  return Object.keys(params)
    .filter((name) => name !== 'sig')
    .sort()
    .map((name) => `&${name}=${(params[name] ?? '').replace(/[&=]/g, '_')}`)
    .join('');
}

/** The account chooses the method; the length of the signature limits the candidates. */
const methods: Record<number, ((text: string, secret: string) => Buffer)[]> = {
  32: [
    (text, secret) => createHmac('md5', secret).update(text).digest(),
    (text, secret) =>
      createHash('md5')
        .update(text + secret)
        .digest(),
  ],
  40: [(text, secret) => createHmac('sha1', secret).update(text).digest()],
  64: [(text, secret) => createHmac('sha256', secret).update(text).digest()],
  128: [(text, secret) => createHmac('sha512', secret).update(text).digest()],
};

export function isSigned(params: Params, secret: string): boolean {
  const signature = params.sig ?? '';
  if (!/^[0-9a-f]+$/i.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  const text = signedText(params);
  return (methods[signature.length] ?? []).some((sign) => sameBytes(sign(text, secret), given));
}
