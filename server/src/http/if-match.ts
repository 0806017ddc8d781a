import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalidParameter } from '../kernel/errors.ts';

/**
 * The header of routes that save a new version: two people who edit the same resource must not overwrite each other
 * unknowingly.
 */
export const ifMatchHeader = {
  'If-Match': {
    description:
      'The version that you edited, in quotes: `"3"`. If it is not the current version, the response is 409 `version_conflict` and nothing is written. Without this header, the last save wins.',
    schema: Type.String(),
  },
};

/** Returns null when the caller sent no condition. */
export function ifMatch({ headers }: FastifyRequest): number | null {
  const given = headers['if-match'];
  if (given === undefined) return null;
  const [, version] = /^"([1-9]\d{0,9})"$/.exec(given) ?? [];
  if (!version) throw invalidParameter('If-Match', 'If-Match must be one version in quotes, such as "3".');
  return Number(version);
}
