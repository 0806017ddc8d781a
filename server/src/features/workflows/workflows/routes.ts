import { Type } from 'typebox';
import { definitionSchema } from '../../../engine/index.ts';
import { type Route, route } from '../../../http/route.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import {
  ActivateQuery,
  KeyParams,
  NewWorkflow,
  PromoteRequest,
  Validation,
  Version,
  VersionPage,
  VersionParams,
  VersionRequest,
  WorkflowDetail,
  WorkflowPage,
  WorkflowPatch,
  WorkflowPromotion,
  WorkflowQuery,
  WorkflowVersionQuery,
} from './schema.ts';
import type { WorkflowService } from './service.ts';
import { SimulatedRun, SimulateRequest, simulationView } from './simulation.ts';
import { versionSummary, versionView, workflowDetail, workflowView } from './view.ts';

const tag = 'Workflows';

export function workflowRoutes({ workflows }: { workflows: WorkflowService }): Route[] {
  return [...definitionRoutes(workflows), ...versionRoutes(workflows), schemaRoute()];
}

function definitionRoutes(service: WorkflowService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/workflows',
      operation: 'createWorkflow',
      tag,
      summary: 'Create a workflow',
      description:
        'You can trigger the workflow once one of its versions is active. The key `runs` is reserved.',
      access: 'workflows:write',
      body: NewWorkflow,
      responses: { 201: WorkflowDetail },
      async handler({ principal, requestId, body }) {
        return { status: 201, body: workflowDetail(await service.create({ principal, requestId }, body)) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/workflows',
      operation: 'listWorkflows',
      tag,
      summary: 'List workflows, newest first',
      access: 'workflows:read',
      query: WorkflowQuery,
      responses: { 200: WorkflowPage },
      async handler({ principal, query }) {
        const { data, next_cursor } = await service.list(principal, query);
        return { status: 200, body: { data: data.map(workflowView), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/:key',
      operation: 'getWorkflow',
      tag,
      summary: 'Get a workflow',
      access: 'workflows:read',
      params: KeyParams,
      responses: { 200: WorkflowDetail },
      async handler({ principal, params }) {
        return { status: 200, body: workflowDetail(await service.get(principal, params.key)) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/workflows/:key',
      operation: 'updateWorkflow',
      tag,
      summary: 'Change the name or the description of a workflow',
      access: 'workflows:write',
      params: KeyParams,
      body: WorkflowPatch,
      responses: { 200: WorkflowDetail },
      async handler({ principal, requestId, params, body }) {
        const changed = await service.update({ principal, requestId }, params.key, body);
        return { status: 200, body: workflowDetail(changed) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/workflows/:key',
      operation: 'disableWorkflow',
      tag,
      summary: 'Disable a workflow',
      description:
        'Started runs continue, new triggers return 404. You can still read the workflow; activating a version enables it again.',
      access: 'workflows:write',
      params: KeyParams,
      responses: { 204: null },
      async handler({ principal, requestId, params }) {
        await service.disable({ principal, requestId }, params.key);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/:key/promote',
      operation: 'promoteWorkflow',
      tag,
      summary: 'Copy the active version of a workflow from Test to Live',
      description:
        'Requires a Test key. The version becomes a new, active version in Live. With include_templates, its templates or the listed templates are promoted too, all or nothing. Returns 422 if the version is not valid in Live. With dry_run, the response only shows what would change.',
      access: 'workflows:promote',
      params: KeyParams,
      body: PromoteRequest,
      bodyOptional: true,
      responses: { 200: WorkflowPromotion },
      errors: ['workflow_invalid'],
      async handler({ principal, requestId, params, body }) {
        return { status: 200, body: await service.promote({ principal, requestId }, params.key, body) };
      },
    }),
  ];
}

function versionRoutes(service: WorkflowService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/workflows/:key/versions',
      operation: 'createWorkflowVersion',
      tag,
      summary: 'Create a version of a workflow',
      description:
        'The version is a draft until you activate it. The structure of the body is validated now (400, with a JSON Pointer as `param`), its references on activation.',
      access: 'workflows:write',
      params: KeyParams,
      body: VersionRequest,
      responses: { 201: Version },
      async handler({ principal, requestId, params, body }) {
        const made = await service.createVersion({ principal, requestId }, params.key, body);
        return { status: 201, body: versionView(made.workflow, made.version) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/:key/versions',
      operation: 'listWorkflowVersions',
      tag,
      summary: 'List the versions of a workflow, newest first',
      access: 'workflows:read',
      params: KeyParams,
      query: WorkflowVersionQuery,
      responses: { 200: VersionPage },
      async handler({ principal, params, query }) {
        const { workflow, page } = await service.listVersions(principal, params.key, query);
        const data = page.data.map((row) => versionSummary(workflow, row));
        return { status: 200, body: { data, next_cursor: page.next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/workflows/:key/versions/:version',
      operation: 'getWorkflowVersion',
      tag,
      summary: 'Get a version of a workflow',
      access: 'workflows:read',
      params: VersionParams,
      responses: { 200: Version },
      async handler({ principal, params }) {
        const found = await service.getVersion(principal, params.key, params.version);
        return { status: 200, body: versionView(found.workflow, found.version) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/:key/versions/:version/activate',
      operation: 'activateWorkflowVersion',
      tag,
      summary: 'Activate a version of a workflow',
      description:
        'New runs use this version; running ones keep theirs. If the version is invalid, the response has `valid: false` and nothing changes. With dry_run nothing changes in any case.',
      access: 'workflows:write',
      params: VersionParams,
      query: ActivateQuery,
      responses: { 200: Validation },
      async handler({ principal, requestId, params, query }) {
        const caller = { principal, requestId };
        const dryRun = query.dry_run ?? false;
        return { status: 200, body: await service.activate(caller, params.key, params.version, dryRun) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/workflows/:key/versions/:version/simulate',
      operation: 'simulateWorkflowVersion',
      tag,
      summary: 'Run a version on a virtual clock',
      description:
        'Nothing is sent, fetched or stored. Days pass in milliseconds; events and the responses to fetch steps are scripted.',
      computes: true,
      access: 'workflows:read',
      params: VersionParams,
      body: SimulateRequest,
      responses: { 200: SimulatedRun },
      errors: ['trigger_data_invalid'],
      async handler({ principal, params, body }) {
        const simulation = await service.simulate(principal, params.key, params.version, body);
        return { status: 200, body: simulationView(simulation) };
      },
    }),
  ];
}

function schemaRoute(): Route {
  const text = JSON.stringify(definitionSchema);
  const hash = sha256(text).toString('hex');
  return route({
    method: 'GET',
    path: '/workflows/schema.json',
    operation: 'getWorkflowSchema',
    tag,
    summary: 'The JSON Schema of a workflow body',
    description:
      'JSON Schema 2020-12, for editors and validators. `X-Schema-Sha256` is the hash of the response.',
    access: 'public',
    responses: { 200: Type.Unsafe<object>({ type: 'object' }) },
    handler({ raw }) {
      const headers = {
        'x-schema-sha256': hash,
        etag: `"${hash}"`,
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      };
      if (raw.headers['if-none-match'] === headers.etag) return { status: 304, headers };
      return { status: 200, headers, contentType: 'application/json; charset=utf-8', body: text };
    },
  });
}
