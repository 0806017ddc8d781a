import type { Category } from '@carillon/sdk';
import { isObject } from '../input.ts';
import { FileProblem, fieldsOf } from './json-file.ts';

/** When items ring devices; null leaves it to the next setting. */
type PushRing = Category['push'];

const modes = ['always', 'unseen', 'never'] as const;
const defaultSeconds = 30;

/** The field `push` of a category or a template, as the service stores it. */
export function readPushRing(given: unknown): PushRing {
  if (given === undefined || given === null) return null;
  if (!isObject(given)) throw new FileProblem(': push must be an object with a mode');
  const fields = fieldsOf(given, ['mode', 'after_seconds']);
  const mode = fields.choice('mode', modes, 'always');
  const seconds = given.after_seconds ?? defaultSeconds;
  if (!Number.isInteger(seconds) || Number(seconds) < 1 || Number(seconds) > 86_400)
    throw new FileProblem(': push.after_seconds must be a whole number from 1 to 86400');
  return { mode, after_seconds: mode === 'unseen' ? Number(seconds) : null };
}

/** The field in a file; left out when nothing is set. */
export function pushField(push: PushRing): { push?: { mode: string; after_seconds?: number } } {
  if (!push) return {};
  const { mode, after_seconds: seconds } = push;
  return { push: { mode, ...(seconds === null ? {} : { after_seconds: seconds }) } };
}
