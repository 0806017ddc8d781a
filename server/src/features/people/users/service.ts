import { parsePhoneNumber } from '../../../channels/address-key.ts';
import { parseEmailAddress } from '../../../channels/email/address.ts';
import { isDatabaseUnavailable, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { createBatcher } from '../../../kernel/batcher.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import { invalidParameter, notFound } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { decodeOffset, type Page, pageByOffset } from '../../../kernel/page.ts';
import { languageTag } from '../../../kernel/patterns.ts';
import { isTimeZone } from '../../../kernel/time-zone.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { type Eraser, erasePerson, findPerson } from './erasure.ts';
import {
  type Attributes,
  type AttributeValue,
  attributeLimits,
  type UserBody,
  type UserQuery,
} from './schema.ts';
import {
  deleteUser,
  type ListedUserRow,
  listNewestUsers,
  listUsers,
  replaceUser,
  type UserCursor,
  type UserFields,
  type UserRow,
} from './store.ts';

export interface UserService {
  list(principal: Principal, query: UserQuery): Promise<Page<UserRow>>;
  get(principal: Principal, externalUserId: string): Promise<UserRow>;
  replace(principal: Principal, externalUserId: string, body: UserBody): Promise<UserRow>;
  erase(caller: Caller, externalUserId: string): Promise<void>;
}

/** The work that a caller may wait for (10,000 notifications take a second or two); a worker does the rest. */
const slicesAtOnce = 40;
/** The request has ended by then: the worker erases what is left, also after a crash of this process. */
const handOverMs = 15_000;

export function createUserService({
  pool,
  listReads,
  queue,
  clock,
  erasers,
}: Pick<Deps, 'pool' | 'listReads' | 'queue' | 'clock'> & { erasers: Eraser[] }): UserService {
  return {
    async list({ id: callerId, environmentId }, { search, cursor, limit = 20 }) {
      const list = `users:${environmentId}`;
      const before = cursor === undefined ? null : decodeOffset(list, cursor, readOffset);
      const rows = await listReads.read(callerId, (sql) =>
        listNewestUsers(sql, environmentId, search, { before, limit }),
      );
      return pageByOffset(list, rows, limit, offsetOf);
    },

    async get({ environmentId }, externalUserId) {
      const [row] = await listUsers(pool, [{ environmentId, externalUserId }]);
      if (!row) throw notFound('user');
      return row;
    },

    replace({ environmentId }, externalUserId, body) {
      return replaceUser(pool, environmentId, externalUserId, readFields(body));
    },

    async erase(caller, externalUserId) {
      const { environmentId } = caller.principal;
      const workId = newId(clock());
      const person = await transaction(pool, async (tx) => {
        const user = await deleteUser(tx, environmentId, externalUserId);
        const erased = await findPerson(tx, environmentId, externalUserId, user, workId);
        await recordAudit(tx, caller, {
          action: 'user.erased',
          // The log must not keep what was erased; a hash of the id still finds the entry.
          target: `user:${sha256(externalUserId).toString('hex').slice(0, 16)}`,
        });
        await queue.postpone(tx, [
          {
            kind: 'erasure',
            id: workId,
            lane: 'bulk',
            environmentId,
            note: erased,
            runAt: new Date(clock() + handOverMs),
          },
        ]);
        return erased;
      });
      if (await erasePerson(pool, erasers, person, slicesAtOnce))
        await queue.withdraw(pool, 'erasure', workId);
    },
  };
}

function offsetOf(row: ListedUserRow): string {
  return `${row.created_at_micros} ${row.external_user_id}`;
}

function readOffset(text: string): UserCursor | null {
  const [, createdAtMicros, externalUserId] = /^(\d{1,16}) (\P{Cc}{1,255})$/u.exec(text) ?? [];
  return createdAtMicros && externalUserId ? { createdAtMicros, externalUserId } : null;
}

/** A field that is absent or empty is cleared. */
function readFields(body: UserBody): UserFields {
  return {
    email: read(body, 'email', (text) => {
      const parsed = parseEmailAddress(text);
      return 'problem' in parsed ? parsed : { value: parsed.address };
    }),
    phone: read(body, 'phone', (text) => {
      const parsed = parsePhoneNumber(text);
      return 'problem' in parsed ? parsed : { value: parsed.number };
    }),
    name: read(body, 'name', (text) =>
      /\p{Cc}/u.test(text) ? { problem: 'must not contain control characters' } : { value: text },
    ),
    locale: read(body, 'locale', (text) => {
      const tag = languageTag(text);
      return tag ? { value: tag } : { problem: 'must be a language tag, for example it or pt-BR' };
    }),
    timezone: read(body, 'timezone', (text) =>
      isTimeZone(text) ? { value: text } : { problem: 'must be an IANA time zone name, such as Europe/Rome' },
    ),
    chatone_user_id: read(body, 'chatone_user_id', (text) =>
      /^[UW][A-Za-z0-9]+$/.test(text)
        ? { value: text }
        : { problem: 'must be the id of a Slack (chatone) user, for example U024BE7LH' },
    ),
    attributes: readAttributes(body.attributes ?? {}),
  };
}

function read(
  body: UserBody,
  field: Exclude<keyof UserFields, 'attributes'>,
  parse: (text: string) => { value: string } | { problem: string },
): string | null {
  const text = body[field];
  if (!text) return null;
  const parsed = parse(text);
  if ('problem' in parsed) throw invalidParameter(field, `${field} ${parsed.problem}.`);
  return parsed.value;
}

const keyPattern = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export function isAttributeKey(key: string): boolean {
  return keyPattern.test(key);
}

export function isAttributeValue(value: unknown): value is AttributeValue {
  if (typeof value === 'string') return value.length <= attributeLimits.text;
  return typeof value === 'number' || typeof value === 'boolean';
}

/** Checks attributes one by one, so that the error names the attribute. A null clears its attribute, like a null field. */
function readAttributes(given: Record<string, unknown>): Attributes {
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  if (entries.length > attributeLimits.keys)
    throw invalidParameter('attributes', `A user can have at most ${attributeLimits.keys} attributes.`);
  for (const [key, value] of entries) {
    if (!isAttributeKey(key))
      throw invalidParameter(
        'attributes',
        'The name of an attribute must be 1 to 64 of a–z, A–Z, 0–9 and “_”, and not begin with a digit.',
      );
    if (!isAttributeValue(value))
      throw invalidParameter(
        `attributes.${key}`,
        `attributes.${key} must be a number, a boolean, or a text of at most ${attributeLimits.text} characters.`,
      );
  }
  const attributes = Object.fromEntries(entries) as Attributes;
  if (Buffer.byteLength(JSON.stringify(attributes)) > attributeLimits.bytes)
    throw invalidParameter(
      'attributes',
      `attributes must have at most ${attributeLimits.bytes} bytes as JSON.`,
    );
  return attributes;
}

/** Stored users for the accept path. They are never cached: a user stored or erased a moment ago counts. */
export interface UserDirectory {
  findUser(environmentId: string, externalUserId: string): Promise<UserRow | null>;
}

/** Requests that arrive while a query is running go into the next one, so a batch of 500 costs one or two queries. */
export function createUserDirectory({ pool }: Pick<Deps, 'pool'>): UserDirectory {
  const loads = createBatcher<{ environmentId: string; externalUserId: string }, UserRow | null>(
    async (wanted) => {
      const found = new Map(
        (await listUsers(pool, wanted)).map((row) => [`${row.environment_id} ${row.external_user_id}`, row]),
      );
      return wanted.map(
        ({ environmentId, externalUserId }) => found.get(`${environmentId} ${externalUserId}`) ?? null,
      );
    },
    { concurrency: 2, maxItems: 500, splitOn: (error) => !isDatabaseUnavailable(error) },
  );
  return {
    findUser: (environmentId, externalUserId) => loads.add({ environmentId, externalUserId }),
  };
}
