import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invalidParameter } from '../kernel/errors.ts';

/** For routes that save a new version of something: two people who edit it must not overwrite each other unknowingly. */
export const ifMatchHeader = {
  'If-Match': {
    description:
      'The version that the change was made to, in quotes: `"3"`. When it is not the current one: 409 `version_conflict`, and nothing is written. Left out: the last save wins.',
    schema: Type.String(),
  },
};

/** Null: the caller does not mind. */
export function ifMatch({ headers }: FastifyRequest): number | null {
  const given = headers['if-match'];
  if (given === undefined) return null;
  const [, version] = /^"([1-9]\d{0,9})"$/.exec(given) ?? [];
  if (!version) throw invalidParameter('If-Match', 'If-Match must be one version in quotes, such as "3".');
  return Number(version);
}
