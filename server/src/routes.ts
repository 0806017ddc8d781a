import type { Deps } from './deps.ts';
import { allErasers } from './erasers.ts';
import { accountRoutes } from './features/accounts/index.ts';
import { activityRoutes } from './features/activity/index.ts';
import { auditRoutes } from './features/audit/index.ts';
import { callbackRoutes, createReportWriter } from './features/callbacks/index.ts';
import {
  chatRoutes,
  createEmailConnections,
  type EmailConnections,
  emailCallbackProviders,
  emailRoutes,
  smsCallbackProviders,
  smsRoutes,
} from './features/connections/index.ts';
import { contentRoutes } from './features/dispatch/index.ts';
import { inboxRoutes } from './features/inbox/index.ts';
import { createIncidentBoard } from './features/incidents/index.ts';
import {
  createNotificationService,
  notificationRoutes,
  type WriteOptions,
} from './features/notifications/index.ts';
import { categoryRoutes, createCategoryDirectory, preferenceRoutes } from './features/preferences/index.ts';
import { createRunService, runRoutes, wakeRunsOf } from './features/runs/index.ts';
import { sandboxRoutes } from './features/sandbox/index.ts';
import { widgetRoutes } from './features/static-files/index.ts';
import { suppressionRoutes } from './features/suppressions/index.ts';
import { createTemplateService, templateRoutes } from './features/templates/index.ts';
import { trackingRoutes } from './features/tracking/index.ts';
import { unsubscribeRoutes } from './features/unsubscribe/index.ts';
import { usageRoutes } from './features/usage/index.ts';
import { userRoutes } from './features/users/index.ts';
import { webhookRoutes } from './features/webhooks/index.ts';
import {
  createWorkflowService,
  listWorkflowsWithTemplate,
  workflowRoutes,
} from './features/workflows/index.ts';
import { operationRoutes } from './http/operations.ts';
import type { Route } from './http/route.ts';
import { allLookups } from './lookups.ts';
import { version } from './version.ts';

export interface RouteOptions {
  draining: () => boolean;
  writing?: WriteOptions;
  /** The connections of the process; the table makes its own when absent. */
  connections?: EmailConnections;
}

/** Table: every operation of the API, by area. */
export function allRoutes(deps: Deps, options: RouteOptions = { draining: () => false }): Route[] {
  const categories = createCategoryDirectory(deps.pool);
  const templates = createTemplateService(deps, listWorkflowsWithTemplate);
  const sources = allLookups(deps, templates, categories);
  const workflows = createWorkflowService(deps);
  const reports = createReportWriter(deps);
  const notifications = createNotificationService(deps, sources, wakeRunsOf, options.writing);
  const routes: Route[] = [
    ...notificationRoutes(notifications),
    ...contentRoutes(deps, options.connections ?? createEmailConnections(deps)),
    ...templateRoutes(templates),
    ...categoryRoutes(deps, categories),
    ...preferenceRoutes(deps),
    ...suppressionRoutes(deps),
    ...userRoutes(deps, allErasers(deps)),
    ...unsubscribeRoutes(deps),
    ...usageRoutes(deps),
    ...inboxRoutes(deps),
    ...webhookRoutes(deps),
    ...activityRoutes(deps),
    ...workflowRoutes(workflows),
    ...runRoutes(createRunService(deps, workflows)),
    ...sandboxRoutes(deps),
    ...emailRoutes(deps),
    ...smsRoutes(deps),
    ...chatRoutes(deps, notifications),
    ...trackingRoutes(deps, reports),
    ...callbackRoutes(deps, { ...emailCallbackProviders(deps), ...smsCallbackProviders(deps) }, reports),
    ...accountRoutes(deps),
    ...auditRoutes(deps),
    ...widgetRoutes(),
    ...operationRoutes(deps, {
      version,
      routes: () => routes,
      draining: options.draining,
      incidents: createIncidentBoard(deps.pool, deps.clock),
    }),
  ];
  return routes;
}

/** The routes of a process without the api role: liveness, readiness and metrics. */
export function workerRoutes(deps: Deps, options: RouteOptions): Route[] {
  const incidents = createIncidentBoard(deps.pool, deps.clock);
  return operationRoutes(deps, { version, routes: () => [], draining: options.draining, incidents }).filter(
    (route) => ['/healthz', '/readyz', '/metrics'].includes(route.path),
  );
}
