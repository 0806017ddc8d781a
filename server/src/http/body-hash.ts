import { sha256 } from '../kernel/crypto.ts';
import { canonicalJson, isLargerThan } from '../kernel/json.ts';
import type { Task } from '../kernel/threads/task.ts';

/** Equal for equal JSON values, whatever the order of keys or the white space. */
export function hashBody(body: unknown): string {
  return sha256(canonicalJson(body)).toString('hex');
}

/** 10,000 values take 25 ms to be sorted and hashed, and 20 MB of attachments a quarter of a second. */
const lightSize = 40_000;

export const bodyHashTask: Task<unknown, string> = {
  name: 'hash_body',
  isLight: (body) => !isLargerThan(body, lightSize),
  work: hashBody,
};
