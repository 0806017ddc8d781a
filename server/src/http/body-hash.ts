import { sha256Hex } from '../kernel/crypto.ts';
import { canonicalJson, isLargerThan } from '../kernel/json.ts';
import type { Task, TaskRunner } from '../threads/task.ts';

/** Equal JSON values have equal hashes, regardless of key order and white space. */
export function hashBody(body: unknown): string {
  return sha256Hex(canonicalJson(body));
}

/** 10,000 values take 25 ms to be sorted and hashed, and 20 MB of attachments a quarter of a second. */
const lightSize = 40_000;

/** Hashing a body up to this size takes less time than handing it to a thread. */
const tinySize = 4_000;

export function bodyHashOf(tasks: TaskRunner, owner: string, body: unknown): string | Promise<string> {
  return isLargerThan(body, tinySize) ? tasks.run(bodyHashTask, owner, body) : hashBody(body);
}

export const bodyHashTask: Task<unknown, string> = {
  name: 'hash_body',
  isLight: (body) => !isLargerThan(body, lightSize),
  work: hashBody,
};
