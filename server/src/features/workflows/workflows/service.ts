import { type Pool, type Sql, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { type Definition, eventPatterns, references, type Simulation } from '../../../engine/index.ts';
import type { Caller, Principal } from '../../../http/principal.ts';
import type { Keyring } from '../../../kernel/crypto.ts';
import { invalidParameter, notFound, Problem } from '../../../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { readBody, type WorkflowBody } from './body.ts';
import { createWorkflowDirectory, type Definitions, nameOf, type WorkflowDirectory } from './definitions.ts';
import { promoteWorkflow } from './promote.ts';
import {
  type NewWorkflow,
  type PromoteRequest,
  reservedKeys,
  type Validation,
  type VersionRequest,
  type WorkflowPatch,
  type WorkflowPromotion,
  type WorkflowQuery,
  type WorkflowVersionQuery,
  workflowLimits,
} from './schema.ts';
import { hasMasks, openBody, restoreMasked, sealBody } from './sealed-body.ts';
import { checkRecipientZone, type SimulateRequest, simulateVersion } from './simulation.ts';
import type { VersionSummaryRow, WorkflowRow, WorkflowVersionRow } from './store.ts';
import * as store from './store.ts';
import { validateOutside, validationContextOf } from './validation.ts';
import { auditViewOf, type CountedWorkflow, type DetailedWorkflow, sourceOf } from './view.ts';

interface VersionOf<Row = WorkflowVersionRow> {
  workflow: WorkflowRow;
  version: Row;
}

export interface WorkflowService {
  create(caller: Caller, request: NewWorkflow): Promise<DetailedWorkflow>;
  list(principal: Principal, query: WorkflowQuery): Promise<Page<CountedWorkflow>>;
  get(principal: Principal, key: string): Promise<DetailedWorkflow>;
  update(caller: Caller, key: string, request: WorkflowPatch): Promise<DetailedWorkflow>;
  /** Existing runs continue; new triggers are refused. */
  disable(caller: Caller, key: string): Promise<void>;
  createVersion(caller: Caller, key: string, request: VersionRequest): Promise<VersionOf>;
  listVersions(
    principal: Principal,
    key: string,
    query: WorkflowVersionQuery,
  ): Promise<{ workflow: WorkflowRow; page: Page<VersionSummaryRow> }>;
  getVersion(principal: Principal, key: string, version: number): Promise<VersionOf>;
  activate(caller: Caller, key: string, version: number, dryRun: boolean): Promise<Validation>;
  simulate(principal: Principal, key: string, version: number, request: SimulateRequest): Promise<Simulation>;
  promote(caller: Caller, key: string, request: PromoteRequest): Promise<WorkflowPromotion>;
  findActive: WorkflowDirectory['findActive'];
}

/** The period of `trigger_count_7d`. */
const countedMs = 7 * 86_400_000;

type WorkflowDeps = Pick<Deps, 'pool' | 'clock' | 'activity' | 'tasks' | 'keyring'> & {
  definitions: Definitions;
};

export function createWorkflowService(deps: WorkflowDeps): WorkflowService {
  const { pool, clock, tasks, keyring, definitions } = deps;
  const directory = createWorkflowDirectory(pool, definitions);

  async function change(
    caller: Caller,
    key: string,
    action: string,
    decide: Parameters<typeof changeWorkflow>[4],
  ): Promise<WorkflowRow> {
    const saved = await changeWorkflow(pool, caller, key, action, decide);
    directory.forget(caller.principal.environmentId, key);
    return saved;
  }

  return {
    findActive: directory.findActive,

    async create(caller, { key, name, description = null }) {
      const { environmentId } = caller.principal;
      if (reservedKeys.has(key)) throw invalidParameter('key', `The key ${key} is reserved.`);
      const row = {
        id: newId(clock()),
        environment_id: environmentId,
        key,
        name: checkName(name),
        description,
      };
      return {
        workflow: await transaction(pool, (tx) => insertWorkflow(tx, caller, row)),
        triggerCount: 0,
        active: null,
      };
    },

    async list({ environmentId }, query) {
      const list = `workflows:${environmentId}`;
      const page = pageRequest(list, query);
      const rows = await store.listWorkflows(pool, environmentId, query, page);
      const { data, next_cursor } = pageOf(list, rows, page.limit);
      return { data: await withCounts(deps, data), next_cursor };
    },

    get: async ({ environmentId }, key) => detailOf(deps, await get(pool, environmentId, key)),

    async update(caller, key, request) {
      const changed = await change(caller, key, 'workflow.updated', (workflow) => ({
        ...workflow,
        name: request.name === undefined ? workflow.name : checkName(request.name),
        description: request.description === undefined ? workflow.description : request.description || null,
      }));
      return detailOf(deps, changed);
    },

    async disable(caller, key) {
      await change(caller, key, 'workflow.disabled', async (workflow, tx) => {
        if (workflow.status === 'disabled') return null;
        await store.markDeactivated(tx, workflow.id);
        return { ...workflow, status: 'disabled' };
      });
    },

    async createVersion(caller, key, request) {
      while (shouldYield()) await yieldToEventLoop();
      const body = await readBody(tasks, caller.principal.environmentId, request);
      const id = newId(clock());
      const workflow = await change(caller, key, 'workflow.version_created', (before, tx) =>
        insertVersion(tx, keyring, before, id, body),
      );
      return { workflow, version: await getVersion(pool, workflow, workflow.latest_version) };
    },

    async listVersions({ environmentId }, key, query) {
      const workflow = await get(pool, environmentId, key);
      const list = `workflow-versions:${workflow.id}`;
      const page = pageRequest(list, query);
      const rows = await store.listVersions(pool, workflow.id, page);
      return { workflow, page: pageOf(list, rows, page.limit) };
    },

    async getVersion({ environmentId }, key, version) {
      const workflow = await get(pool, environmentId, key);
      return { workflow, version: await getVersion(pool, workflow, version) };
    },

    async activate(caller, key, version, dryRun) {
      const workflow = await get(pool, caller.principal.environmentId, key);
      // The masked definition is checked, because its problems are shown.
      const definition = await definitionOf(definitions, workflow, version, 'shownDefinition');
      let errors: Validation['errors'] = [];
      await validateOutside(tasks, caller.principal.environmentId, (problemsOf) =>
        change(caller, key, 'workflow.activated', async (before, tx) => {
          const context = await validationContextOf(tx, before.environment_id, definition);
          errors = problemsOf({ versionId: String(version), definition, context });
          if (errors.length > 0 || dryRun) return null;
          await store.markActivated(tx, before.id, version, eventPatterns(definition));
          return { ...before, status: 'active', active_version: version };
        }),
      );
      return { valid: errors.length === 0, errors };
    },

    async simulate({ environmentId, environmentKind }, key, version, request) {
      checkRecipientZone(request);
      const workflow = await get(pool, environmentId, key);
      // The credentials are included, as in a run: a mask is not a valid header. A simulated step shows the response, never the
      // request.
      const definition = await definitionOf(definitions, workflow, version, 'definition');
      const about = { workflowKey: key, version, source: sourceOf(environmentKind) };
      return simulateVersion(deps, environmentId, definition, about, request);
    },

    async promote(caller, key, request) {
      const { live, promotion } = await promoteWorkflow(deps, caller, key, request);
      directory.forget(live, key);
      return promotion;
    },
  };
}

async function get(sql: Sql, environmentId: string, key: string): Promise<WorkflowRow> {
  const found = await store.findWorkflow(sql, environmentId, key);
  if (!found) throw notFound('workflow');
  return found;
}

async function getVersion(sql: Sql, workflow: WorkflowRow, version: number): Promise<WorkflowVersionRow> {
  const found = await store.findVersion(sql, workflow.id, version);
  if (!found) throw notFound('workflow version');
  return found;
}

async function withCounts(
  { pool, clock, activity }: WorkflowDeps,
  workflows: WorkflowRow[],
): Promise<CountedWorkflow[]> {
  await activity.flush(); // a client that has just triggered a run expects it in the count
  const ids = workflows.map(({ id }) => id);
  const counts = await store.countTriggers(pool, ids, new Date(clock() - countedMs));
  return workflows.map((workflow) => ({ workflow, triggerCount: counts.get(workflow.id) ?? 0 }));
}

async function detailOf(deps: WorkflowDeps, workflow: WorkflowRow): Promise<DetailedWorkflow> {
  const [active, [counted]] = await Promise.all([
    workflow.status === 'active' && workflow.active_version !== null
      ? store.findVersion(deps.pool, workflow.id, workflow.active_version)
      : null,
    withCounts(deps, [workflow]),
  ]);
  return { workflow, triggerCount: counted?.triggerCount ?? 0, active };
}

async function definitionOf(
  definitions: Definitions,
  workflow: WorkflowRow,
  version: number,
  which: 'definition' | 'shownDefinition',
): Promise<Definition> {
  const loaded = await definitions.load([{ workflowId: workflow.id, version }]);
  const pinned = loaded.get(nameOf(workflow.id, version));
  if (!pinned) throw notFound('workflow version');
  const definition = pinned[which];
  if (!definition) throw invalidParameter('version', 'This version can no longer be read.');
  return definition;
}

async function insertWorkflow(
  tx: Sql,
  caller: Caller,
  row: Parameters<typeof store.insertWorkflow>[1],
): Promise<WorkflowRow> {
  const made = await store.insertWorkflow(tx, row, workflowLimits.workflows);
  if (!made) {
    if (await store.findWorkflow(tx, row.environment_id, row.key))
      throw new Problem('duplicate_key', 'A workflow with this key already exists.', { param: 'key' });
    throw tooMany(`An environment can have at most ${workflowLimits.workflows} workflows.`);
  }
  await recordAudit(tx, caller, {
    action: 'workflow.created',
    target: `workflow:${made.id}`,
    after: auditViewOf(made),
  });
  return made;
}

/** Changes are serialized: `decide` sees the workflow as the previous change left it, and returns null when nothing changes. */
function changeWorkflow(
  pool: Pool,
  caller: Caller,
  key: string,
  action: string,
  decide: (workflow: WorkflowRow, tx: Sql) => Promise<WorkflowRow | null> | WorkflowRow | null,
): Promise<WorkflowRow> {
  return transaction(pool, async (tx) => {
    const before = await store.lockWorkflow(tx, caller.principal.environmentId, key);
    if (!before) throw notFound('workflow');
    const next = await decide(before, tx);
    if (!next) return before;
    const after = await store.updateWorkflow(tx, next);
    await recordAudit(tx, caller, {
      action,
      target: `workflow:${after.id}`,
      before: auditViewOf(before),
      after: { ...auditViewOf(after), latest_version: after.latest_version },
    });
    return after;
  });
}

/** Masked credentials are restored from the versions that have them, newest first. */
async function insertVersion(
  tx: Sql,
  keyring: Keyring,
  before: WorkflowRow,
  id: string,
  { text, value, definition }: WorkflowBody,
): Promise<WorkflowRow> {
  const version = before.latest_version + 1;
  if (version > workflowLimits.versions)
    throw tooMany(`A workflow can have at most ${workflowLimits.versions} versions.`);
  const restored = hasMasks(value)
    ? restoreMasked(
        value,
        (await store.listWithSecrets(tx, before.id, workflowLimits.searchedVersions)).map((row) =>
          openBody(keyring, row),
        ),
      )
    : value;
  await store.insertVersion(tx, {
    workflow_id: before.id,
    version,
    id,
    ...sealBody(keyring, id, text, restored),
    template_keys: references(definition).templateKeys,
  });
  return { ...before, latest_version: version };
}

function checkName(name: string): string {
  if (name.trim() === '' || /\p{Cc}/u.test(name))
    throw invalidParameter('name', 'name must have visible characters and no control characters.');
  return name;
}

function tooMany(message: string): Problem {
  return new Problem('workflow_limit_reached', message);
}
