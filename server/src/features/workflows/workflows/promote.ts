import type { Channel } from '../../../channels/contract.ts';
import { type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import {
  type Definition,
  eventPatterns,
  parseDefinition,
  references,
  type ValidationContext,
} from '../../../engine/index.ts';
import type { Caller } from '../../../http/principal.ts';
import { invalidParameter, notFound, Problem } from '../../../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { newId } from '../../../kernel/ids.ts';
import { canonicalJson } from '../../../kernel/json.ts';
import { promoteTemplateWithin } from '../../content/templates/index.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { semanticProblem } from './body.ts';
import { type PromoteRequest, type WorkflowPromotion, workflowLimits } from './schema.ts';
import { openBody, sealBody, shownBody } from './sealed-body.ts';
import type { WorkflowRow, WorkflowVersionRow } from './store.ts';
import * as store from './store.ts';
import { type ProblemsOf, validateOutside, validationContextOf } from './validation.ts';
import { auditViewOf } from './view.ts';

type TemplateDiff = NonNullable<Awaited<ReturnType<typeof promoteTemplateWithin>>>['diff'];

/**
 * Makes the active version of Test the active version of Live, with its templates on request: all of it or, when it is not
 * valid in Live, nothing. A dry run takes the same steps up to the write.
 */
export async function promoteWorkflow(
  { pool, clock, keyring, tasks }: Pick<Deps, 'pool' | 'clock' | 'keyring' | 'tasks'>,
  caller: Caller,
  key: string,
  request: PromoteRequest,
): Promise<{ live: string; promotion: WorkflowPromotion }> {
  const { principal } = caller;
  if (principal.environmentKind !== 'test') {
    throw new Problem(
      'promotion_source_must_be_test',
      'Promotion copies from Test to Live: use a key of the Test environment.',
    );
  }
  const included = request.include_templates ?? false;
  const withTemplates = Array.isArray(included) ? included.length > 0 : included;
  if (withTemplates && !principal.scopes.has('templates:promote'))
    throw new Problem('insufficient_scope', 'Promoting templates requires the scope templates:promote.');
  const isDryRun = request.dry_run ?? false;
  const now = clock();

  const promoteWithin = async (
    tx: Sql,
    problemsOf: ProblemsOf,
  ): Promise<{ live: string; promotion: WorkflowPromotion }> => {
    const source = await getSource(tx, principal.environmentId, key);
    const live = await store.findLiveEnvironment(tx, principal.organizationId);
    if (!live) throw notFound('Live environment');
    const before = await store.lockWorkflow(tx, live, key);
    const into = { environmentId: live, now: isDryRun ? null : now };
    const templates = Array.isArray(included)
      ? await promoteListed(tx, caller, included, into)
      : included
        ? await promoteNamed(tx, caller, source.definition, into)
        : [];
    const context = withTemplatesOf(await validationContextOf(tx, live, source.definition), templates);
    const problems = problemsOf({ versionId: source.version.id, definition: source.definition, context });
    if (problems.length > 0) throw semanticProblem(problems);

    const active = before?.status === 'active' ? await versionOf(tx, before) : null;
    const opened = openBody(keyring, source.version);
    const current = active && before ? { ...before, body: openBody(keyring, active) } : null;
    const diff = diffWorkflows(key, current, {
      name: source.workflow.name,
      description: source.workflow.description,
      body: opened,
    });
    const changed = diff.status !== 'unchanged' || templates.some((each) => each.diff.status !== 'unchanged');
    let target = before?.active_version ?? 0;
    if (diff.status !== 'unchanged') {
      target = (before?.latest_version ?? 0) + 1;
      if (target > workflowLimits.versions)
        throw new Problem(
          'workflow_limit_reached',
          `A workflow can have at most ${workflowLimits.versions} versions.`,
        );
      const id = newId(now);
      const body = { id, ...sealBody(keyring, id, source.version.body, opened) };
      if (!isDryRun) await write(tx, caller, { live, before, source, body, version: target, now });
    }
    return {
      live,
      promotion: {
        applied: changed && !isDryRun,
        status: changed ? (before ? 'changed' : 'new') : 'identical',
        workflow_diff: { ...diff, templates: templates.map((each) => each.diff) },
        target_version: target,
      },
    };
  };
  return validateOutside(tasks, principal.environmentId, (problemsOf) =>
    transaction(pool, (tx) => promoteWithin(tx, problemsOf)),
  );
}

interface Source {
  workflow: WorkflowRow;
  version: WorkflowVersionRow;
  definition: Definition;
}

async function getSource(tx: Sql, environmentId: string, key: string): Promise<Source> {
  const workflow = await store.findWorkflow(tx, environmentId, key);
  if (!workflow) throw notFound('workflow');
  const version = workflow.status === 'active' ? await versionOf(tx, workflow) : null;
  if (!version)
    throw new Problem(
      'workflow_not_active',
      'Only an active workflow can be promoted; activate a version first.',
    );
  while (shouldYield()) await yieldToEventLoop();
  const parsed = parseDefinition(JSON.parse(shownBody(version)));
  if (!parsed.ok) throw invalidParameter('key', 'The active version can no longer be read.');
  return { workflow, version, definition: parsed.definition };
}

function versionOf(tx: Sql, { id, active_version }: WorkflowRow): Promise<WorkflowVersionRow | null> {
  return active_version === null ? Promise.resolve(null) : store.findVersion(tx, id, active_version);
}

interface PromotedTemplate {
  key: string;
  diff: TemplateDiff;
  channels: ReadonlySet<Channel>;
}

interface TemplateTarget {
  environmentId: string;
  /** Null in a dry run. */
  now: number | null;
}

/** Promotes the templates that the body names. Validation reports a template that is missing in Test, with its step. */
function promoteNamed(
  tx: Sql,
  caller: Caller,
  definition: Definition,
  target: TemplateTarget,
): Promise<PromotedTemplate[]> {
  return promoteTemplates(tx, caller, references(definition).templateKeys, target);
}

/** Promotes the templates that the caller lists, whether the body names them or computes their key. */
async function promoteListed(
  tx: Sql,
  caller: Caller,
  keys: string[],
  target: TemplateTarget,
): Promise<PromotedTemplate[]> {
  const promoted = await promoteTemplates(tx, caller, keys, target);
  const found = new Set(promoted.map(({ key }) => key));
  const missing = keys.findIndex((key) => !found.has(key));
  if (missing >= 0)
    throw new Problem('template_not_found', `There is no template with the key ${keys[missing]}.`, {
      param: `include_templates[${missing}]`,
    });
  return promoted;
}

/** Templates are promoted in the order of their keys, so that two concurrent promotions do not deadlock. */
async function promoteTemplates(
  tx: Sql,
  caller: Caller,
  keys: readonly string[],
  target: TemplateTarget,
): Promise<PromotedTemplate[]> {
  const promoted: PromotedTemplate[] = [];
  for (const key of [...new Set(keys)].sort()) {
    const one = await promoteTemplateWithin(tx, caller, key, target);
    if (one) promoted.push({ key, ...one });
  }
  return promoted;
}

/** In a dry run the promoted templates do not exist in Live yet, so they are added to the context. */
function withTemplatesOf(context: ValidationContext, promoted: PromotedTemplate[]): ValidationContext {
  return {
    ...context,
    templates: new Map([
      ...context.templates,
      ...promoted.map(({ key, channels }) => [key, channels] as const),
    ]),
  };
}

async function write(
  tx: Sql,
  caller: Caller,
  to: {
    live: string;
    before: WorkflowRow | null;
    source: Source;
    body: Pick<WorkflowVersionRow, 'id' | 'body' | 'secrets_sealed'>;
    version: number;
    now: number;
  },
): Promise<void> {
  const { workflow, version, definition } = to.source;
  const callerInLive = { ...caller, principal: { ...caller.principal, environmentId: to.live } };
  const made =
    to.before ??
    (await store.insertWorkflow(
      tx,
      { ...workflow, id: newId(to.now), environment_id: to.live },
      workflowLimits.workflows,
    ));
  if (!made)
    throw new Problem(
      'workflow_limit_reached',
      'Live has too many workflows, or this one was just created there.',
    );
  await store.insertVersion(tx, {
    workflow_id: made.id,
    version: to.version,
    ...to.body,
    template_keys: version.template_keys,
  });
  await store.markActivated(tx, made.id, to.version, eventPatterns(definition));
  const after = await store.updateWorkflow(tx, {
    ...made,
    name: workflow.name,
    description: workflow.description,
    status: 'active',
    active_version: to.version,
    latest_version: to.version,
  });
  await recordAudit(tx, callerInLive, {
    action: 'workflow.promoted',
    target: `workflow:${after.id}`,
    before: to.before && auditViewOf(to.before),
    after: auditViewOf(after),
  });
}

type Diff = WorkflowPromotion['workflow_diff'];
type Change = Diff['status'];

interface Promotable {
  name: string;
  description: string | null;
  /** The parsed body with its credentials: a changed credential is a change. */
  body: unknown;
}

interface BodyParts {
  trigger_data_schema?: unknown;
  steps: { id: string }[];
}

/**
 * Returns the changes that a promotion of `next` makes to `before`, which is null when there is no version yet. The templates
 * feature reports changes of templates.
 */
function diffWorkflows(key: string, before: Promotable | null, next: Promotable): Omit<Diff, 'templates'> {
  const old = before ? (before.body as BodyParts) : null;
  const body = next.body as BodyParts;
  const parts = {
    name: change(before?.name, next.name),
    description: change(before?.description, next.description),
    trigger_data_schema: change(old?.trigger_data_schema, body.trigger_data_schema),
    steps: diffSteps(old?.steps ?? [], body.steps),
  };
  const isSame =
    before?.name === next.name &&
    before.description === next.description &&
    canonicalJson(old) === canonicalJson(body);
  return { key, status: before ? (isSame ? 'unchanged' : 'modified') : 'added', ...parts };
}

/**
 * Steps in their new order, followed by the removed ones. Steps run in the order of the list, so the order shows a moved step.
 */
function diffSteps(before: { id: string }[], next: { id: string }[]): Diff['steps'] {
  const old = new Map(before.map((step) => [step.id, step]));
  const kept = next.map((step) => ({ id: step.id, status: change(old.get(step.id), step) }));
  const ids = new Set(next.map(({ id }) => id));
  const gone = before.filter(({ id }) => !ids.has(id)).map(({ id }) => ({ id, status: 'removed' as const }));
  return [...kept, ...gone];
}

function change(before: unknown, next: unknown): Change {
  const isIn = (value: unknown): boolean => value !== undefined && value !== null;
  if (!isIn(before)) return isIn(next) ? 'added' : 'unchanged';
  if (!isIn(next)) return 'removed';
  return canonicalJson(before) === canonicalJson(next) ? 'unchanged' : 'modified';
}
