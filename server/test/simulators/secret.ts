import { createHash } from 'node:crypto';

/** A made-up credential: hexadecimal digits, which fit every form that a credential may have. The same name gives the same one. */
export function secretOf(name: string, length = 40): string {
  return createHash('sha512').update(name).digest('hex').slice(0, length);
}
