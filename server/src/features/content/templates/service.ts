import type { Channel } from '../../../channels/contract.ts';
import { ringSettingOf } from '../../../channels/in-app/push/ring-setting.ts';
import { lockEnvironment } from '../../../db/locks.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import { invalidParameter, notFound, Problem } from '../../../kernel/errors.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { runCounted } from '../../../threads/effort.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { type Checking, createPartReader } from '../parts/index.ts';
import { type BodyFields, channelOf, findBody, newBody, removeBody, replaceBody } from './bodies.ts';
import { checkLocale } from './check.ts';
import { createTemplateDirectory, type TemplateDirectory } from './directory.ts';
import { type InlineSources, inlineBody, inlineContext } from './inline.ts';
import { checkBounded, checkSize, listedBodies, needsDefault, nextBodies, requireFlat } from './input.ts';
import { bodyFor, explain, withDerivedText } from './preview.ts';
import { createPreviewContexts, draftOf, wantedLocale } from './preview-context.ts';
import { promoteTemplate, recordPromotion } from './promote.ts';
import { insertTemplate, lockTemplate, saveTemplate } from './save.ts';
import type {
  NewTemplate,
  PreviewRequest,
  PreviewResponse,
  PutBodyRequest,
  RenderRequest,
  RenderResponse,
  TemplatePatch,
  TemplatePromotion,
  TemplateQuery,
  TemplateVersionQuery,
} from './schema.ts';
import type { TemplateContent, TemplateRow, VersionContentRow } from './store.ts';
import * as store from './store.ts';
import { draftPreviewTask, templatePreviewTask } from './tasks.ts';
import { pinned, type Unpinned } from './uses.ts';
import { auditViewOf } from './view.ts';

interface Editor extends Caller {
  /** The change applies only to this version; null when any version is accepted. */
  ifVersion: number | null;
}

export interface TemplateService {
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
  render(principal: Principal, key: string, request: RenderRequest): Promise<RenderResponse>;
  /** Previews a body that is not saved. */
  preview(principal: Principal, request: PreviewRequest): Promise<PreviewResponse>;
  /** Renders content that is not a template's; what is not given stays null. Throws the Problem that explains a failure. */
  previewInline(
    environmentId: string,
    channel: Channel,
    sources: InlineSources,
    data: object,
  ): Promise<InlineSources & Pick<PreviewResponse, 'undefined_variables'>>;
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

export function createTemplateService(
  { pool, clock, tasks }: Pick<Deps, 'pool' | 'clock' | 'tasks'>,
  listUsers: TemplateUsers,
): TemplateService {
  const directory = createTemplateDirectory(pool);
  const reader = createPartReader(pool, previewCharacters);
  const checkingOf = ({ environmentId }: Principal): Checking => ({ pool, tasks, reader, environmentId });
  const contexts = createPreviewContexts({ pool }, reader);

  async function get(sql: Sql, environmentId: string, key: string): Promise<TemplateRow> {
    const found = await store.findTemplate(sql, environmentId, key, isUuid(key) ? key : null);
    if (!found) throw notFound('template');
    return found;
  }

  async function getLocked(tx: Sql, environmentId: string, key: string): Promise<TemplateRow> {
    const locked = await lockTemplate(tx, await get(tx, environmentId, key));
    if (!locked) throw notFound('template');
    return locked;
  }

  async function getVersion(sql: Sql, environmentId: string, templateId: string, version: number) {
    const found = await store.findVersion(sql, environmentId, templateId, version);
    if (!found) throw notFound('template version');
    return found;
  }

  /** Changes are serialized: `decide` sees the template as the previous change left it. */
  async function change(
    editor: Editor,
    key: string,
    action: string,
    decide: (template: TemplateRow, tx: Sql) => Unpinned | Promise<TemplateContent>,
  ): Promise<TemplateRow> {
    const { principal, ifVersion } = editor;
    const saved = await transaction(pool, async (tx) => {
      await lockEnvironment(tx, principal.environmentId);
      const before = await getLocked(tx, principal.environmentId, key);
      if (ifVersion !== null && before.version !== ifVersion)
        throw versionConflict(before.version, ifVersion);
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

  return {
    find: directory.find,

    async create(caller, request) {
      const { principal } = caller;
      requireFlat(request);
      const checking = checkingOf(principal);
      const listed = await listedBodies(checking, request);
      const bodies = await nextBodies(checking, listed, request, async (nextOf) => nextOf([]));
      const name = checkName(request.name);
      const push = request.push ? ringSettingOf(request.push) : null;
      return transaction(pool, async (tx) => {
        await lockEnvironment(tx, principal.environmentId);
        const content = await pinned(tx, principal, { name, bodies, push });
        const location = { environmentId: principal.environmentId, key: request.key };
        const made = await insertTemplate(tx, location, content, clock());
        if (!made)
          throw new Problem('duplicate_key', 'A template with this key already exists.', { param: 'key' });
        await recordAudit(tx, caller, {
          action: 'template.created',
          target: `template:${made.id}`,
          after: auditViewOf(made),
        });
        return made;
      });
    },

    async list({ environmentId }, query) {
      const list = `templates:${environmentId}`;
      const page = pageRequest(list, query);
      const sizes = await store.listTemplateSizes(pool, environmentId, query.search ?? null, page);
      const { data, next_cursor } = pageOf(list, sizes, Math.min(page.limit, fitting(sizes)));
      const ids = data.map(({ id }) => id);
      return { data: await store.listTemplates(pool, environmentId, ids), next_cursor };
    },

    get: ({ environmentId }, key) => get(pool, environmentId, key),

    async update(caller, key, request) {
      const checking = checkingOf(caller.principal);
      const listed = await listedBodies(checking, request);
      return nextBodies(checking, listed, request, (nextOf) =>
        change(caller, key, 'template.updated', ({ name, bodies, push }) => ({
          name: request.name === undefined ? name : checkName(request.name),
          bodies: nextOf(bodies),
          push: request.push === undefined ? push : request.push && ringSettingOf(request.push),
        })),
      );
    },

    async delete(caller, key) {
      const { environmentId } = caller.principal;
      const gone = await transaction(pool, async (tx) => {
        const template = await getLocked(tx, environmentId, key);
        const users = await listUsers(tx, environmentId, template.key);
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
      directory.forget(environmentId, gone.key);
    },

    async putBody(caller, key, where, request) {
      const { channel, locale } = placeOf(where);
      const given = newBody(channel, locale, request);
      const body = await checkBounded(checkingOf(caller.principal), given, (field) => field);
      let isNew = false;
      const saved = await change(caller, key, 'template.updated', ({ name, bodies, push }) => {
        if (locale && !findBody(bodies, channel, null)) throw needsDefault('locale');
        isNew = !findBody(bodies, channel, locale);
        return { name, bodies: checkSize(replaceBody(bodies, body)), push };
      });
      return { body, version: saved.version, isNew };
    },

    async deleteBody(caller, key, where) {
      const { channel, locale } = placeOf(where);
      await change(caller, key, 'template.updated', ({ name, bodies, push }) => {
        if (!findBody(bodies, channel, locale)) throw notFound('template body');
        return { name, bodies: removeBody(bodies, channel, locale), push };
      });
    },

    async render(principal, key, request) {
      const { environmentId } = principal;
      const template = await get(pool, environmentId, key);
      const body = bodyFor(template.bodies, request);
      const context = await contexts
        .forTemplate(principal, template, body, wantedLocale(request))
        .catch(explain);
      const input = { body, context, data: request.data, strict: request.strict };
      const previewed = await runCounted(tasks, templatePreviewTask, environmentId, input).catch(explain);
      return withDerivedText(tasks, environmentId, previewed);
    },

    async preview({ environmentId }, request) {
      const draft = await draftOf(tasks, environmentId, request);
      const context = await contexts
        .forDraft(environmentId, draft.body, wantedLocale(request))
        .catch(explain);
      const input = { ...draft, context };
      const previewed = await runCounted(tasks, draftPreviewTask, environmentId, input).catch(explain);
      return withDerivedText(tasks, environmentId, previewed);
    },

    async previewInline(environmentId, channel, sources, data) {
      const input = { body: inlineBody(channel, sources), context: inlineContext, data };
      const { subject, html_body, text_body, undefined_variables } = await runCounted(
        tasks,
        draftPreviewTask,
        environmentId,
        input,
      ).catch(explain);
      return {
        subject: sources.subject && subject,
        html_body: sources.html_body && html_body,
        text_body: sources.text_body && text_body,
        undefined_variables,
      };
    },

    async listVersions({ environmentId }, key, query) {
      const { id } = await get(pool, environmentId, key);
      const list = `template-versions:${id}`;
      const page = pageRequest(list, query);
      return pageOf(list, await store.listVersions(pool, environmentId, id, page), page.limit);
    },

    async getVersion({ environmentId }, key, version) {
      const { id } = await get(pool, environmentId, key);
      return getVersion(pool, environmentId, id, version);
    },

    restore: (caller, key, version) =>
      change(caller, key, 'template.restored', ({ id, environment_id }, tx) =>
        getVersion(tx, environment_id, id, version),
      ),

    async promote(caller, key, dryRun) {
      const { principal } = caller;
      if (principal.environmentKind !== 'test') {
        throw new Problem(
          'promotion_source_must_be_test',
          'Promotion copies from Test to Live: use a key of the Test environment.',
        );
      }
      const { environmentId, organizationId } = principal;
      const { live, diff, after } = await transaction(pool, async (tx) => {
        const source = await get(tx, environmentId, key);
        const live = await store.findLiveEnvironment(tx, organizationId);
        if (!live) throw notFound('Live environment');
        const promoted = await promoteTemplate(tx, source, live, dryRun ? null : clock());
        await recordPromotion(tx, caller, live, promoted);
        return { ...promoted, live };
      });
      directory.forget(live, diff.key);
      return { applied: after !== null, status: promotionStatus(diff), template_diff: diff };
    },
  };
}

function versionConflict(current: number, given: number): Problem {
  return new Problem(
    'version_conflict',
    `The template is at version ${current}, not ${given}: another save changed it. Nothing was written.`,
    { param: 'If-Match' },
  );
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

function placeOf({ channel: name, locale }: BodyLocation): { channel: Channel; locale: string | null } {
  const channel = channelOf(name);
  if (!channel) throw invalidParameter('channel', 'The channel does not exist.');
  return { channel, locale: locale ? checkLocale(locale, 'locale') : null };
}

/** Returns how many of the first templates fit on a page. */
function fitting(sizes: { size: number }[]): number {
  let characters = 0;
  const count = sizes.findIndex(({ size }) => {
    characters += size;
    return characters > pageCharacters;
  });
  return count === -1 ? sizes.length : Math.max(1, count);
}
