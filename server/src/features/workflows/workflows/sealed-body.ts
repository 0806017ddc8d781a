import type { SealedColumn } from '../../../db/reseal.ts';
import type { Deps } from '../../../deps.ts';
import { isMasked, type Keyring, masked } from '../../../kernel/crypto.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { isRecord, type JsonRecord } from '../../../kernel/json.ts';
import { credentialsIn, destinationOf, type FetchFields, replaceCredentials } from './credentials.ts';
import { listUnsealed, sealVersion } from './store.ts';

/**
 * A body as it is stored: the credentials of its fetch steps are masked in the text, and sealed beside it under the pointer of
 * their step. A reader of the text sees only masks; using the credentials requires opening the body.
 */
interface SealedBody {
  body: string;
  /** Null when the body was saved before sealing was introduced, and has not been sealed since. */
  secrets_sealed: Record<string, string> | null;
}

type SealedVersion = SealedBody & { id: string };

const contextOf = (versionId: string, pointer: string): string => `workflow_version:${versionId}:${pointer}`;

export const workflowSealedColumns: readonly SealedColumn[] = [
  {
    table: 'workflow_versions',
    key: 'id',
    column: 'secrets_sealed',
    type: 'jsonb',
    reseal: (sealed: Record<string, string>, { id = '' }, again) =>
      Object.fromEntries(
        Object.entries(sealed).map(([pointer, value]) => [pointer, again(value, contextOf(id, pointer))]),
      ),
  },
];

/** Masks and seals the credentials of a body. The text of a body without credentials stays unchanged. */
export function sealBody(keyring: Keyring, versionId: string, text: string, value = JSON.parse(text)) {
  const secrets: Record<string, string> = {};
  const shown = mapFetchSteps(value, (fields, pointer) => {
    const found: string[] = [];
    const hidden = replaceCredentials(fields, (credential) => {
      found.push(credential);
      return masked(credential);
    });
    if (found.length > 0)
      secrets[pointer] = keyring.seal(JSON.stringify(found), contextOf(versionId, pointer));
    return hidden;
  });
  const isSealed = Object.keys(secrets).length > 0;
  return { body: isSealed ? writeLike(text, shown) : text, secrets_sealed: secrets };
}

/** The text that readers receive. */
export function shownBody({ body, secrets_sealed }: SealedBody): string {
  if (secrets_sealed !== null) return body;
  let isMaskedNow = false;
  const shown = mapFetchSteps(JSON.parse(body), (fields) =>
    replaceCredentials(fields, (credential) => {
      isMaskedNow = true;
      return masked(credential);
    }),
  );
  return isMaskedNow ? writeLike(body, shown) : body;
}

/** Returns the value with its credentials. A credential whose key is lost stays masked: only the call that needs it fails. */
export function openBody(keyring: Keyring, { id, body, secrets_sealed }: SealedVersion): unknown {
  const value: unknown = JSON.parse(body);
  if (secrets_sealed === null || Object.keys(secrets_sealed).length === 0) return value;
  return mapFetchSteps(value, (fields, pointer) => {
    const sealed = secrets_sealed[pointer];
    const credentials = sealed === undefined ? [] : openList(keyring, sealed, contextOf(id, pointer));
    return replaceCredentials(fields, (shown) => (isMasked(shown) ? (credentials.shift() ?? shown) : shown));
  });
}

function openList(keyring: Keyring, sealed: string, context: string): string[] {
  try {
    return JSON.parse(keyring.open(sealed, context));
  } catch {
    return [];
  }
}

export function hasMasks(value: unknown): boolean {
  let found = false;
  mapFetchSteps(value, (fields) => {
    found ||= credentialsIn(fields).some(({ credential }) => isMasked(credential));
    return fields;
  });
  return found;
}

/**
 * A body that was read with masks and is saved again keeps its credentials: those that an earlier version had in the same
 * position of a call to the same server. `earlier` holds the opened versions, newest first.
 */
export function restoreMasked(value: unknown, earlier: unknown[]): unknown {
  const known = new Map<string, ReadonlySet<string>>();
  const keyOf = ({ url }: FetchFields, location: string, shown: string): string =>
    JSON.stringify([destinationOf(url), location, shown]);
  for (const body of earlier) {
    const own = new Map<string, Set<string>>();
    mapFetchSteps(body, (fields) => {
      for (const { credential, place: location } of credentialsIn(fields)) {
        const key = keyOf(fields, location, masked(credential));
        own.set(key, (own.get(key) ?? new Set()).add(credential));
      }
      return fields;
    });
    for (const [key, credentials] of own) if (!known.has(key)) known.set(key, credentials);
  }
  return mapFetchSteps(value, (fields, pointer) =>
    replaceCredentials(fields, (given, location) => {
      if (!isMasked(given)) return given;
      const [credential, ...others] = known.get(keyOf(fields, location, given)) ?? [];
      if (credential !== undefined && others.length === 0) return credential;
      const param = `${pointer}/${location.startsWith('header ') ? 'headers' : 'url'}`;
      throw invalidParameter(
        param,
        `${param} has a masked credential (${location}) that no earlier version of this workflow has for the same server; enter the credential itself.`,
      );
    }),
  );
}

/** Returns a copy of the body with the URL and the headers of each fetch step replaced by the result of `change`. */
function mapFetchSteps(
  body: unknown,
  change: (fields: FetchFields, pointer: string) => FetchFields,
): unknown {
  if (!isRecord(body) || !Array.isArray(body.steps)) return body;
  const steps = body.steps.map((step: unknown, index) => {
    if (!isRecord(step) || step.kind !== 'fetch') return step;
    const fields = { url: textOf(step.url), headers: textsOf(step.headers) };
    const changed = change(fields, `/steps/${index}`);
    return {
      ...step,
      ...(typeof step.url === 'string' ? { url: changed.url } : {}),
      ...(isRecord(step.headers) ? { headers: { ...step.headers, ...changed.headers } } : {}),
    };
  });
  return { ...body, steps };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function textsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(isRecord(value) ? (value as JsonRecord) : {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** A body that was written over several lines is indented again, so that it stays readable. */
function writeLike(text: string, value: unknown): string {
  return JSON.stringify(value, null, text.includes('\n') ? 2 : undefined);
}

const sealedTogether = 50;

/** Seals the credentials of versions that were saved before sealing was introduced. Processes may run this concurrently. */
export async function sealSavedVersions(
  { pool, keyring }: Pick<Deps, 'pool' | 'keyring'>,
  isStopped: () => boolean,
): Promise<void> {
  for (;;) {
    const rows = await listUnsealed(pool, sealedTogether);
    for (const { id, body } of rows) {
      if (isStopped()) return;
      await sealVersion(pool, id, sealBody(keyring, id, body));
    }
    if (rows.length < sealedTogether) return;
  }
}
