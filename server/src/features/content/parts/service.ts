import { type Pool, type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { invalidParameter, notFound, Problem, versionConflict } from '../../../kernel/errors.ts';
import {
  countFitting,
  decodeOffset,
  type Page,
  pageByOffset,
  pageOf,
  pageRequest,
} from '../../../kernel/page.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { layoutUse, partialUse } from './graph.ts';
import {
  type Checking,
  canonicalLocale,
  type NextPart,
  readLayout,
  readLocale,
  readPartial,
  readTranslation,
} from './input.ts';
import { countMissing, listMissing } from './missing.ts';
import { createPartReader } from './reader.ts';
import { checkDependents, savePart } from './save.ts';
import type {
  MissingQuery,
  MissingTranslation,
  PartQuery,
  PartVersionQuery,
  PutLayout,
  PutPartial,
  PutTranslation,
} from './schema.ts';
import type { PartKind, PartRow, PartVersionRow } from './store.ts';
import * as store from './store.ts';
import { auditViewOf } from './view.ts';

interface PartEditor extends Caller {
  /** The change applies only to this version; null when any version is accepted. */
  ifVersion: number | null;
  /** The change applies only when there is no such part yet. */
  createOnly?: boolean;
}

interface SavedPart {
  row: PartRow;
  isNew: boolean;
}

/** Layouts, partials and translations: what templates share. The key of a translation is its locale. */
export interface PartService {
  putLayout(caller: PartEditor, key: string, request: PutLayout): Promise<SavedPart>;
  putPartial(caller: PartEditor, key: string, request: PutPartial): Promise<SavedPart>;
  putTranslation(caller: PartEditor, locale: string, request: PutTranslation): Promise<SavedPart>;
  get(principal: Principal, kind: PartKind, key: string): Promise<PartRow>;
  list(principal: Principal, kind: PartKind, query: PartQuery): Promise<Page<PartRow>>;
  delete(caller: Caller, kind: PartKind, key: string): Promise<void>;
  listVersions(
    principal: Principal,
    kind: PartKind,
    key: string,
    query: PartVersionQuery,
  ): Promise<Page<{ id: string; version: number }>>;
  getVersion(principal: Principal, kind: PartKind, key: string, version: number): Promise<PartVersionRow>;
  restore(caller: PartEditor, kind: PartKind, key: string, version: number): Promise<PartRow>;
  /** The number of missing keys of each locale. */
  countMissing(principal: Principal, locales: string[]): Promise<Map<string, number>>;
  listMissing(principal: Principal, query: MissingQuery): Promise<Page<MissingTranslation>>;
}

/** The approximate size of a list page in characters; a page has at least one part. */
const pageCharacters = 4_000_000;

/** Characters of parts that are kept for the checks of others. */
const keptCharacters = 1_000_000;

type PartDeps = Pick<Deps, 'pool' | 'clock' | 'tasks'>;

export function createPartService(deps: PartDeps): PartService {
  const { pool, tasks } = deps;
  const reader = createPartReader(pool, keptCharacters);
  const checkingOf = ({ environmentId }: Principal): Checking => ({ pool, tasks, reader, environmentId });

  return {
    async putLayout(caller, key, request) {
      const next = await readLayout(checkingOf(caller.principal), key, request);
      return save(deps, caller, next, 'html_template');
    },
    async putPartial(caller, key, request) {
      const next = await readPartial(checkingOf(caller.principal), key, request);
      return save(deps, caller, next, 'template');
    },
    async putTranslation(caller, locale, request) {
      return save(deps, caller, readTranslation(readLocale(locale), request), 'messages');
    },
    get: ({ environmentId }, kind, key) => getPart(pool, environmentId, kind, key),
    list: ({ environmentId }, kind, query) => listParts(pool, environmentId, kind, query),
    delete: (caller, kind, key) => deletePart(deps, caller, kind, key),
    async listVersions({ environmentId }, kind, key, query) {
      const { id } = await getPart(pool, environmentId, kind, key);
      const list = `part-versions:${id}`;
      const page = pageRequest(list, query);
      return pageOf(list, await store.listVersions(pool, environmentId, id, page), page.limit);
    },
    async getVersion({ environmentId }, kind, key, version) {
      return getVersion(pool, await getPart(pool, environmentId, kind, key), version);
    },
    async restore(caller, kind, key, version) {
      const part = await getPart(pool, caller.principal.environmentId, kind, key);
      const { content, uses, keys } = await getVersion(pool, part, version);
      const next = { kind, key: part.key, channel: part.channel, content, uses, keys, is_default: null };
      return (await save(deps, caller, next, 'version', 'restored')).row;
    },
    countMissing: ({ environmentId }, locales) => countMissing(pool, environmentId, locales),
    async listMissing({ environmentId }, { locale, cursor, limit = 20 }) {
      const list = `missing-translations:${environmentId}`;
      const after = cursor === undefined ? null : decodeOffset(list, cursor, readMissingCursor);
      const wanted = locale === undefined ? null : readLocale(locale);
      const rows = await listMissing(pool, environmentId, wanted, { after, limit });
      return pageByOffset(list, rows, limit, ({ locale, key }) => `${locale} ${key}`);
    },
  };
}

async function getPart(sql: Sql, environmentId: string, kind: PartKind, key: string): Promise<PartRow> {
  const name = kind === 'translation' ? canonicalLocale(key) : key;
  const found = name === null ? null : await store.findPart(sql, environmentId, kind, name);
  if (!found) throw notFound(kind);
  return found;
}

async function getVersion(
  sql: Sql,
  { environment_id, id, kind }: PartRow,
  version: number,
): Promise<PartVersionRow> {
  const found = await store.findVersion(sql, environment_id, id, version);
  if (!found) throw notFound(`${kind} version`);
  return found;
}

async function listParts(
  pool: Pool,
  environmentId: string,
  kind: PartKind,
  query: PartQuery,
): Promise<Page<PartRow>> {
  const list = `${kind}s:${environmentId}`;
  const page = pageRequest(list, query);
  const found = await store.listPartSizes(pool, environmentId, kind, query.search ?? null, page);
  const sizes = found.map(({ size }) => size);
  const limit = Math.min(page.limit, countFitting(sizes, pageCharacters));
  const { data, next_cursor } = pageOf(list, found, limit);
  const ids = data.map(({ id }) => id);
  return { data: await store.listParts(pool, environmentId, ids), next_cursor };
}

async function deletePart({ pool }: PartDeps, caller: Caller, kind: PartKind, key: string): Promise<void> {
  const { environmentId } = caller.principal;
  await transaction(pool, async (tx) => {
    await store.lockParts(tx, environmentId);
    const part = await getPart(tx, environmentId, kind, key);
    await refuseUsed(tx, part);
    await store.deletePart(tx, environmentId, part.id);
    await recordAudit(tx, caller, {
      action: `${kind}.deleted`,
      target: `${kind}:${part.id}`,
      before: auditViewOf(part),
    });
  });
}

/** `param` is what the request changes. */
async function save(
  { pool, clock }: PartDeps,
  editor: PartEditor,
  next: NextPart,
  param: string,
  action?: string,
): Promise<SavedPart> {
  const { environmentId, environmentKind } = editor.principal;
  return transaction(pool, async (tx) => {
    await store.lockParts(tx, environmentId);
    const before = await store.findPart(tx, environmentId, next.kind, next.key);
    await checkEdit(tx, editor, before, next);
    const row = await savePart(tx, environmentId, before, next, clock());
    if (row !== before) {
      await checkDependents(tx, row, { isLive: environmentKind === 'live', param });
      await recordAudit(tx, editor, {
        action: `${next.kind}.${action ?? (before ? 'updated' : 'created')}`,
        target: `${next.kind}:${row.id}`,
        before: before && auditViewOf(before),
        after: auditViewOf(row),
      });
    }
    return { row, isNew: before === null };
  });
}

async function checkEdit(
  tx: Sql,
  { ifVersion, createOnly = false }: PartEditor,
  before: PartRow | null,
  next: NextPart,
): Promise<void> {
  if (before && createOnly)
    throw new Problem('duplicate_key', `This ${next.kind} already exists.`, {
      param: next.kind === 'translation' ? 'locale' : 'key',
    });
  if (ifVersion !== null && before?.version !== ifVersion)
    throw versionConflict(next.kind, before?.version ?? 0, ifVersion);
  if (before && before.channel !== next.channel)
    throw invalidParameter('channel', 'The channel of a layout stays as it is.');
  if (before && next.is_default === false && (await isNeededDefault(tx, before)))
    throw invalidParameter('is_default', neededDefault);
}

function readMissingCursor(text: string): { locale: string; key: string } | null {
  const [, locale, key] = /^([A-Za-z0-9-]{2,35}) ([^\0]*)$/.exec(text) ?? [];
  return locale === undefined || key === undefined ? null : { locale, key };
}

const neededDefault = 'The other locales fall back to this one. Make another one the default.';

async function isNeededDefault(tx: Sql, { kind, is_default, environment_id }: PartRow): Promise<boolean> {
  return kind === 'translation' && is_default && (await store.countParts(tx, environment_id, kind)) > 1;
}

/** Versions that are in use stay; what goes is the name, which the next save of its users would not find. */
async function refuseUsed(tx: Sql, part: PartRow): Promise<void> {
  if (part.kind === 'translation') {
    if (await isNeededDefault(tx, part)) throw new Problem('part_in_use', neededDefault);
    return;
  }
  const use = part.kind === 'layout' ? layoutUse(part.key) : partialUse(part.key);
  const users = await store.listPartUsers(tx, part.environment_id, use);
  if (users.length > 0) throw new Problem('part_in_use', `The ${part.kind} is used by ${users.join(', ')}.`);
}
