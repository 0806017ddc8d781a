import type { Channel } from '../../../channels/contract.ts';
import { ringSettingOf } from '../../../channels/in-app/push/ring-setting.ts';
import { lockEnvironment } from '../../../db/locks.ts';
import { type Pool, type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { invalidParameter, notFound, Problem, versionConflict } from '../../../kernel/errors.ts';
import { countFitting, type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { createPartReader, type PartReader } from '../parts/index.ts';
import { type BodyFields, channelOf, findBody, newBody, removeBody, replaceBody } from './bodies.ts';
import { checkLocale } from './check.ts';
import { createTemplateDirectory, type TemplateDirectory } from './directory.ts';
import { checkBounded, checkSize, listedBodies, needsDefault, nextBodies, requireFlat } from './input.ts';
import { createTemplatePreviews, type TemplatePreviews } from './previews.ts';
import { promoteTemplate, recordPromotion } from './promote.ts';
import { getTemplate, getTemplateForUpdate, insertTemplate, saveTemplate } from './save.ts';
import type {
  NewTemplate,
  PutBodyRequest,
  TemplatePatch,
  TemplatePromotion,
  TemplateQuery,
  TemplateVersionQuery,
} from './schema.ts';
import type { TemplateContent, TemplateRow, VersionContentRow } from './store.ts';
import * as store from './store.ts';
import { pinned, type Unpinned } from './uses.ts';
import { auditViewOf } from './view.ts';

interface Editor extends Caller {
  /** The change applies only to this version; null when any version is accepted. */
  ifVersion: number | null;
}

export interface TemplateService extends TemplatePreviews {
  create(caller: Caller, request: NewTemplate): Promise<TemplateRow>;
  list(principal: Principal, query: TemplateQuery): Promise<Page<TemplateRow>>;
  get(principal: Principal, key: string): Promise<TemplateRow>;
  update(caller: Editor, key: string, request: TemplatePatch): Promise<TemplateRow>;
  delete(caller: Caller, key: string): Promise<void>;
  putBody(
    caller: Editor,
    key: string,
    where: BodyLocation,
    request: PutBodyRequest,
  ): Promise<{ body: BodyFields; version: number; isNew: boolean }>;
  deleteBody(caller: Editor, key: string, where: BodyLocation): Promise<void>;
  listVersions(
    principal: Principal,
    key: string,
    query: TemplateVersionQuery,
  ): Promise<Page<{ id: string; version: number; name: string }>>;
  getVersion(principal: Principal, key: string, version: number): Promise<VersionContentRow>;
  restore(caller: Editor, key: string, version: number): Promise<TemplateRow>;
  promote(caller: Caller, key: string, dryRun: boolean): Promise<TemplatePromotion>;
  /** Returns the version to pin when a send is accepted. */
  find: TemplateDirectory['find'];
}

/** The body as the path and the query identify it. */
interface BodyLocation {
  channel: string;
  locale: string | undefined;
}

/** The approximate size of a list page in characters; a page has at least one template. */
const pageCharacters = 4_000_000;

/** Characters of parts that are kept for previews. */
const previewCharacters = 2_000_000;

/** Returns the names of the resources that send with the template and would fail without it. */
type TemplateUsers = (tx: Sql, environmentId: string, key: string) => Promise<string[]>;

interface TemplateDeps extends Pick<Deps, 'pool' | 'clock' | 'tasks'> {
  reader: PartReader;
  directory: TemplateDirectory;
  listUsers: TemplateUsers;
}

export function createTemplateService(
  given: Pick<Deps, 'pool' | 'clock' | 'tasks'>,
  listUsers: TemplateUsers,
): TemplateService {
  const { pool } = given;
  const directory = createTemplateDirectory(pool);
  const reader = createPartReader(pool, previewCharacters);
  const deps: TemplateDeps = { ...given, reader, directory, listUsers };
  return {
    ...createTemplatePreviews(given, reader),
    find: directory.find,
    create: (caller, request) => createTemplate(deps, caller, request),
    list: ({ environmentId }, query) => listTemplates(pool, environmentId, query),
    get: ({ environmentId }, key) => getTemplate(pool, environmentId, key),
    update: (caller, key, request) => updateTemplate(deps, caller, key, request),
    delete: (caller, key) => deleteTemplate(deps, caller, key),
    putBody: (caller, key, where, request) => putBody(deps, caller, key, where, request),
    async deleteBody(caller, key, where) {
      const { channel, locale } = locationOf(where);
      await change(deps, caller, key, 'template.updated', ({ name, bodies, push }) => {
        if (!findBody(bodies, channel, locale)) throw notFound('template body');
        return { name, bodies: removeBody(bodies, channel, locale), push };
      });
    },
    async listVersions({ environmentId }, key, query) {
      const { id } = await getTemplate(pool, environmentId, key);
      const list = `template-versions:${id}`;
      const page = pageRequest(list, query);
      return pageOf(list, await store.listVersions(pool, environmentId, id, page), page.limit);
    },
    async getVersion({ environmentId }, key, version) {
      const { id } = await getTemplate(pool, environmentId, key);
      return getVersion(pool, environmentId, id, version);
    },
    restore: (caller, key, version) =>
      change(deps, caller, key, 'template.restored', ({ id, environment_id }, tx) =>
        getVersion(tx, environment_id, id, version),
      ),
    promote: (caller, key, dryRun) => promote(deps, caller, key, dryRun),
  };
}

async function createTemplate(
  deps: TemplateDeps,
  caller: Caller,
  request: NewTemplate,
): Promise<TemplateRow> {
  const { principal } = caller;
  const { environmentId } = principal;
  requireFlat(request);
  const checking = { ...deps, environmentId };
  const listed = await listedBodies(checking, request);
  const bodies = await nextBodies(checking, listed, request, async (nextOf) => nextOf([]));
  const name = checkName(request.name);
  const push = request.push ? ringSettingOf(request.push) : null;
  return transaction(deps.pool, async (tx) => {
    await lockEnvironment(tx, environmentId);
    const content = await pinned(tx, principal, { name, bodies, push });
    const made = await insertTemplate(tx, { environmentId, key: request.key }, content, deps.clock());
    if (!made)
      throw new Problem('duplicate_key', 'A template with this key already exists.', { param: 'key' });
    await recordAudit(tx, caller, {
      action: 'template.created',
      target: `template:${made.id}`,
      after: auditViewOf(made),
    });
    return made;
  });
}

async function listTemplates(
  pool: Pool,
  environmentId: string,
  query: TemplateQuery,
): Promise<Page<TemplateRow>> {
  const list = `templates:${environmentId}`;
  const page = pageRequest(list, query);
  const found = await store.listTemplateSizes(pool, environmentId, query.search ?? null, page);
  const sizes = found.map(({ size }) => size);
  const { data, next_cursor } = pageOf(
    list,
    found,
    Math.min(page.limit, countFitting(sizes, pageCharacters)),
  );
  const ids = data.map(({ id }) => id);
  return { data: await store.listTemplates(pool, environmentId, ids), next_cursor };
}

async function updateTemplate(
  deps: TemplateDeps,
  caller: Editor,
  key: string,
  request: TemplatePatch,
): Promise<TemplateRow> {
  const checking = { ...deps, environmentId: caller.principal.environmentId };
  const listed = await listedBodies(checking, request);
  return nextBodies(checking, listed, request, (nextOf) =>
    change(deps, caller, key, 'template.updated', ({ name, bodies, push }) => ({
      name: request.name === undefined ? name : checkName(request.name),
      bodies: nextOf(bodies),
      push: request.push === undefined ? push : request.push && ringSettingOf(request.push),
    })),
  );
}

async function deleteTemplate(deps: TemplateDeps, caller: Caller, key: string): Promise<void> {
  const { environmentId } = caller.principal;
  const gone = await transaction(deps.pool, async (tx) => {
    const template = await getTemplateForUpdate(tx, environmentId, key);
    const users = await deps.listUsers(tx, environmentId, template.key);
    if (users.length > 0)
      throw new Problem('template_in_use', `Active workflows use this template: ${users.join(', ')}.`);
    await store.deleteTemplate(tx, environmentId, template.id);
    await recordAudit(tx, caller, {
      action: 'template.deleted',
      target: `template:${template.id}`,
      before: auditViewOf(template),
    });
    return template;
  });
  deps.directory.forget(environmentId, gone.key);
}

async function putBody(
  deps: TemplateDeps,
  caller: Editor,
  key: string,
  where: BodyLocation,
  request: PutBodyRequest,
): Promise<{ body: BodyFields; version: number; isNew: boolean }> {
  const { channel, locale } = locationOf(where);
  const given = newBody(channel, locale, request);
  const { environmentId } = caller.principal;
  const body = await checkBounded({ ...deps, environmentId }, given, (field) => field);
  let isNew = false;
  const saved = await change(deps, caller, key, 'template.updated', ({ name, bodies, push }) => {
    if (locale && !findBody(bodies, channel, null)) throw needsDefault('locale');
    isNew = !findBody(bodies, channel, locale);
    return { name, bodies: checkSize(replaceBody(bodies, body)), push };
  });
  return { body, version: saved.version, isNew };
}

async function promote(
  { pool, clock, directory }: TemplateDeps,
  caller: Caller,
  key: string,
  dryRun: boolean,
): Promise<TemplatePromotion> {
  const { environmentId, environmentKind, organizationId } = caller.principal;
  if (environmentKind !== 'test') {
    throw new Problem(
      'promotion_source_must_be_test',
      'Promotion copies from Test to Live: use a key of the Test environment.',
    );
  }
  const { live, diff, after } = await transaction(pool, async (tx) => {
    const source = await getTemplate(tx, environmentId, key);
    const live = await store.findLiveEnvironment(tx, organizationId);
    if (!live) throw notFound('Live environment');
    const promoted = await promoteTemplate(tx, source, live, dryRun ? null : clock());
    await recordPromotion(tx, caller, live, promoted);
    return { ...promoted, live };
  });
  directory.forget(live, diff.key);
  return { applied: after !== null, status: promotionStatus(diff), template_diff: diff };
}

/** Changes are serialized: `decide` sees the template as the previous change left it. */
async function change(
  { pool, clock, directory }: TemplateDeps,
  editor: Editor,
  key: string,
  action: string,
  decide: (template: TemplateRow, tx: Sql) => Unpinned | Promise<TemplateContent>,
): Promise<TemplateRow> {
  const { principal, ifVersion } = editor;
  const saved = await transaction(pool, async (tx) => {
    await lockEnvironment(tx, principal.environmentId);
    const before = await getTemplateForUpdate(tx, principal.environmentId, key);
    if (ifVersion !== null && before.version !== ifVersion)
      throw versionConflict('template', before.version, ifVersion);
    const decided = await decide(before, tx);
    // A version of Live that returns keeps its parts, even those that were deleted.
    const keepsParts = 'parts' in decided && principal.environmentKind === 'live';
    const content = keepsParts ? decided : await pinned(tx, principal, decided);
    const after = await saveTemplate(tx, before, content, clock());
    await recordAudit(tx, editor, {
      action,
      target: `template:${after.id}`,
      before: auditViewOf(before),
      after: auditViewOf(after),
    });
    return after;
  });
  directory.forget(saved.environment_id, saved.key);
  return saved;
}

async function getVersion(sql: Sql, environmentId: string, templateId: string, version: number) {
  const found = await store.findVersion(sql, environmentId, templateId, version);
  if (!found) throw notFound('template version');
  return found;
}

function promotionStatus({ status }: TemplatePromotion['template_diff']): TemplatePromotion['status'] {
  if (status === 'added') return 'new';
  return status === 'unchanged' ? 'identical' : 'changed';
}

function checkName(name: string): string {
  if (name.trim() === '' || /\p{Cc}/u.test(name))
    throw invalidParameter('name', 'name must have visible characters and no control characters.');
  return name;
}

function locationOf({ channel: name, locale }: BodyLocation): { channel: Channel; locale: string | null } {
  const channel = channelOf(name);
  if (!channel) throw invalidParameter('channel', 'The channel does not exist.');
  return { channel, locale: locale ? checkLocale(locale, 'locale') : null };
}
