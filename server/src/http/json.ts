import { isUtf8 } from 'node:buffer';
import { sha256Hex } from '../kernel/crypto.ts';
import { Problem } from '../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../kernel/event-loop.ts';
import { canonicalJson, endOfString, faultIn, isLargerThan, isRecord, maxDepth } from '../kernel/json.ts';
import { type Task, type TaskRunner, TaskStopped } from '../threads/task.ts';
import { jsonFault } from './json-fault.ts';

/** Any letter of `__proto__` may be written as an escape, and the name is the same. */
const suspiciousEscape = /\\u(?:[dD][89a-fA-F]|00(?:00|5[fF]|6[fF]|7[024]))/;

/** Only texts of which this is true need the walk below; everything else passes at the speed of JSON.parse. */
const isSuspicious = (text: string): boolean =>
  text.includes('__proto__') || (text.includes('\\u') && suspiciousEscape.test(text));

/**
 * An ordinary body has fewer than a hundred values. As keys of one object, which is the slowest case, this many take 10 to 25
 * ms to parse, and as long again to be hashed or written.
 */
const maxValues = 10_000;
/** The limit over a whole list whose elements are independent: elements are parsed one by one, with other work in between. */
const maxListValues = 100_000;
/** A body of this size takes at most 25 ms; a larger one is read in a thread, unless it is mostly text. */
const lightBytes = 65_536;
/** A batch of a hundred ordinary sends. With so few values, which are what takes time, it is read in a millisecond or two. */
const lightText = { bytes: 262_144, values: 2_000 };

function isLightBody({ buffer, byteOffset, length }: Uint8Array): boolean {
  if (length <= lightBytes) return true;
  // Everything but text is ASCII: the bytes need no decoding to count values.
  const latin1 = (): string => Buffer.from(buffer, byteOffset, length).toString('latin1');
  return length <= lightText.bytes && !hasMoreValues(latin1(), lightText.values);
}
/** A body up to this size costs no more than any other request: it is read at once. */
export const tinyBytes = 4_096;

/**
 * Parses a request body. Six things that JSON allows are stopped here: NUL (PostgreSQL cannot store it: refused), `__proto__`
 * keys (prototype pollution: refused), lone surrogates (not text: replaced by U+FFFD), numbers out of range (they would become
 * null: refused), unbounded nesting (code that walks it would run out of stack: refused), and an unbounded number of values
 * (refused).
 *
 * `independentList` names a list whose elements are independent: an element that must be refused is replaced by its Problem.
 */
export function parseJson(text: string, independentList?: string): unknown {
  const limit = independentList === undefined ? maxValues : maxListValues;
  const excess = excessIn(text, limit, independentList === undefined ? maxDepth : Infinity);
  if (excess === 'depth') throw tooDeep();
  if (excess === 'values') throw new Problem('payload_too_large', `The body has more than ${limit} values.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('invalid_json', `The body is not valid JSON: ${jsonFault(text)}.`);
  }
  const needsCleaning = isSuspicious(text);
  const checked = (part: unknown): unknown => {
    const fault = faultIn(part);
    if (fault === 'depth') throw tooDeep();
    return needsCleaning || fault === 'range' ? cleaned(part, '') : part;
  };
  if (independentList === undefined || !isRecord(value) || !Array.isArray(value[independentList]))
    return checked(value);
  const elements = value[independentList].map((element: unknown) => problemOr(() => checked(element)));
  return { ...(checked({ ...value, [independentList]: [] }) as object), [independentList]: elements };
}

/** Reads the body of a request. A large one is read in a thread, so that no body holds the event loop. */
export async function readBody(
  tasks: TaskRunner,
  owner: string,
  bytes: Buffer,
  independentList?: string,
): Promise<unknown> {
  try {
    const { value, elements } = await tasks.run(bodyTask, owner, { bytes, independentList });
    await yieldToEventLoop(); // the transfer from the thread used up part of this event-loop iteration
    if (independentList === undefined || !elements) return value;
    const list: unknown[] = [];
    for (const element of elements) {
      while (shouldYield()) await yieldToEventLoop();
      list.push(
        typeof element === 'string'
          ? JSON.parse(element)
          : new Problem(element.code, element.message, element),
      );
    }
    return { ...(value as object), [independentList]: list };
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    throw new Problem('payload_too_large', `The body cannot be parsed: ${error.message}.`, { cause: error });
  }
}

interface BodyInput {
  bytes: Uint8Array;
  independentList: string | undefined;
}
interface BodyOutput {
  /** The value without the independent list, when `elements` is present. */
  value: unknown;
  /** The JSON of the elements: text is handed over at once, and parsed one by one. */
  elements?: (string | Pick<Problem, 'code' | 'message' | 'param'>)[];
}

export const bodyTask: Task<BodyInput, BodyOutput> = {
  name: 'read_body',
  isLight: ({ bytes }) => isLightBody(bytes),
  transfer: ({ bytes }) =>
    bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [],
  work({ bytes, independentList }) {
    const value = parseJsonBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), independentList);
    if (independentList === undefined || !isRecord(value) || isLightBody(bytes)) return { value };
    const { [independentList]: list, ...rest } = value;
    if (!Array.isArray(list)) return { value };
    return { value: rest, elements: list.map(elementOf) };
  },
};

function elementOf(element: unknown): NonNullable<BodyOutput['elements']>[number] {
  if (element instanceof Problem) {
    const { code, message, param } = element;
    return { code, message, param };
  }
  const text = JSON.stringify(element);
  if (!hasMoreValues(text, maxValues)) return text;
  return {
    code: 'payload_too_large',
    message: `The element has more than ${maxValues} values.`,
    param: null,
  };
}

/** Bodies are UTF-8. Other bytes would be read as different text than the caller meant. */
export function parseJsonBytes(bytes: Buffer, independentList?: string): unknown {
  if (!isUtf8(bytes)) throw new Problem('invalid_json', 'The body is not valid UTF-8.');
  return bytes.length === 0 ? undefined : parseJson(bytes.toString(), independentList);
}

function problemOr<Value>(read: () => Value): Value | Problem {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const tooDeep = () => new Problem('invalid_json', `The body is nested more than ${maxDepth} levels deep.`);

export const hasMoreValues = (text: string, limit: number): boolean =>
  excessIn(text, limit, Infinity) !== null;

/** Whether an object has more names than this. Names take ten times as long to parse as the values of a list. */
export function hasMoreNames(text: string, limit: number): boolean {
  if (text.length < 4 * limit) return false;
  const open: number[] = []; // the names of each object around this place so far; NaN for a list
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{') open.push(1);
    else if (char === '[') open.push(Number.NaN);
    else if (char === '}' || char === ']') open.pop();
    else if (char === ',' && open.length > 0) {
      const names = (open.pop() ?? 0) + 1;
      if (names > limit) return true;
      open.push(names);
    }
  }
  return false;
}

/**
 * Counts without parsing, which is the slow part. Each value except the first follows a comma or is the first of a list or
 * object.
 */
function excessIn(text: string, values: number, levels: number): 'values' | 'depth' | null {
  if (text.length < 2 * values) return null;
  let count = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === ',') count += 1;
    else if (char === '[' || char === '{') {
      count += 1;
      depth += 1;
      if (depth > levels) return 'depth';
    } else if (char === ']' || char === '}') depth -= 1;
    if (count > values) return 'values';
  }
  return null;
}

function cleaned(value: unknown, path: string): unknown {
  if (typeof value === 'string') {
    if (value.includes('\0')) {
      throw new Problem('parameter_invalid', `${path || 'The body'} must not contain the NUL character.`, {
        param: path || null,
      });
    }
    return value.toWellFormed();
  }
  if (value === Infinity || value === -Infinity) {
    throw new Problem('parameter_invalid', `${path || 'The body'} must be a number below 1.8e308.`, {
      param: path || null,
    });
  }
  if (Array.isArray(value)) return value.map((entry, index) => cleaned(entry, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    const entryPath = path ? `${path}.${key}` : key;
    if (key === '__proto__' || key.includes('\0')) {
      throw new Problem('parameter_invalid', `${JSON.stringify(key)} is not allowed as a field name.`, {
        param: path || null,
      });
    }
    copy[key.toWellFormed()] = cleaned(entry, entryPath);
  }
  return copy;
}

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
