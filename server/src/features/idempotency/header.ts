import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Problem } from '../../kernel/errors.ts';

const pattern = /^[\x20-\x7e]{1,255}$/;

export function checkIdempotencyKey(key: string, param = 'Idempotency-Key'): string {
  if (!pattern.test(key)) {
    throw new Problem('parameter_invalid', `${param} must be 1 to 255 printable ASCII characters.`, {
      param,
    });
  }
  return key;
}

/** The header schema of routes that accept an idempotency key. */
export function idempotencyHeader(description: string) {
  return { 'Idempotency-Key': { description, schema: Type.String({ minLength: 1, maxLength: 255 }) } };
}

export function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
}
