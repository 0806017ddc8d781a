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

/** The header of routes that create or replace: the key may belong to somebody else's resource. */
export const ifNoneMatchHeader = {
  'If-None-Match': {
    description:
      '`*` only creates: if the resource exists, the response is 409 `duplicate_key` and nothing is written.',
    schema: Type.String(),
  },
};

/** Returns whether the caller wants to create only. */
export function isCreateOnly({ headers }: FastifyRequest): boolean {
  const given = headers['if-none-match'];
  if (given === undefined) return false;
  if (given !== '*') throw invalidParameter('If-None-Match', 'If-None-Match must be *.');
  return true;
}
