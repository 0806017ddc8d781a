import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Problem } from '../../../kernel/errors.ts';

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

/** For an operation whose key is elsewhere: a header without effect would let the caller believe that a repetition is safe. */
export function refuseIdempotencyHeader({ headers }: FastifyRequest, instead: string): void {
  if (headers['idempotency-key'] === undefined) return;
  const param = 'Idempotency-Key';
  throw new Problem('parameter_invalid', `This operation has no header ${param}: ${instead}`, { param });
}

/** The key of the header. Operations that take it in the body too pass that one: the two must not differ. */
export function idempotencyKeyOf(
  { headers, raw }: FastifyRequest,
  inBody: string | null = null,
): string | null {
  const header = headers['idempotency-key'];
  const param = 'Idempotency-Key';
  if (typeof header !== 'string')
    return inBody === null ? null : checkIdempotencyKey(inBody, 'idempotency_key');
  // Node joins repeated headers with a comma.
  if (header.includes(',') && (raw.headersDistinct['idempotency-key']?.length ?? 0) > 1)
    throw new Problem('parameter_invalid', `${param} must be sent once.`, { param });
  if (inBody !== null && inBody !== header) {
    throw new Problem(
      'parameter_invalid',
      `idempotency_key and the header ${param} differ; send one of them.`,
      {
        param: 'idempotency_key',
      },
    );
  }
  return header;
}
