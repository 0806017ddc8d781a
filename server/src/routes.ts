import { accountRoutes } from './features/accounts/index.ts';
import { activityRoutes } from './features/activity/index.ts';
import { audienceRoutes } from './features/audiences/index.ts';
import { auditRoutes } from './features/audit/index.ts';
import { brakeRoutes } from './features/brake/index.ts';
import { brandRoutes } from './features/brands/index.ts';
import { broadcastRoutes } from './features/broadcasts/index.ts';
import { bulkActionRoutes } from './features/bulk-actions/index.ts';
import { callbackRoutes } from './features/callbacks/index.ts';
import {
  chatoneRoutes,
  chatthreeRoutes,
  chattwoRoutes,
  emailRoutes,
  pushSettingsRoutes,
  smsRoutes,
} from './features/connections/index.ts';
import { contentRoutes } from './features/dispatch/index.ts';
import { inboxRoutes } from './features/inbox/index.ts';
import { notificationRoutes } from './features/notifications/index.ts';
import { partRoutes } from './features/parts/index.ts';
import { preferencePageRoutes } from './features/preference-page/index.ts';
import { categoryRoutes, preferenceRoutes } from './features/preferences/index.ts';
import { pushRoutes } from './features/push/index.ts';
import { runRoutes } from './features/runs/index.ts';
import { sandboxRoutes } from './features/sandbox/index.ts';
import { scheduleRoutes } from './features/schedules/index.ts';
import { spendRoutes } from './features/spend/index.ts';
import { widgetRoutes } from './features/static-files/index.ts';
import { suppressionRoutes } from './features/suppressions/index.ts';
import { templateRoutes } from './features/templates/index.ts';
import { trackingRoutes } from './features/tracking/index.ts';
import { unsubscribeRoutes } from './features/unsubscribe/index.ts';
import { usageRoutes } from './features/usage/index.ts';
import { userRoutes } from './features/users/index.ts';
import { webhookRoutes } from './features/webhooks/index.ts';
import { workflowRoutes } from './features/workflows/index.ts';
import { operationRoutes } from './http/operations.ts';
import type { Route } from './http/route.ts';
import type { Services } from './services.ts';
import { version } from './version.ts';

export interface RouteOptions {
  draining: () => boolean;
}

/** Table: every operation of the API, by area. */
export function allRoutes(
  services: Services,
  { draining }: RouteOptions = { draining: () => false },
): Route[] {
  const routes: Route[] = [
    ...notificationRoutes(services),
    ...bulkActionRoutes(services),
    ...contentRoutes(services),
    ...templateRoutes(services),
    ...partRoutes(services),
    ...categoryRoutes(services),
    ...preferenceRoutes(services),
    ...brandRoutes(services),
    ...preferencePageRoutes(services),
    ...suppressionRoutes(services),
    ...userRoutes(services),
    ...audienceRoutes(services),
    ...broadcastRoutes(services),
    ...unsubscribeRoutes(services),
    ...usageRoutes(services),
    ...brakeRoutes(services),
    ...spendRoutes(services),
    ...inboxRoutes(services),
    ...pushRoutes(services),
    ...webhookRoutes(services),
    ...activityRoutes(services),
    ...workflowRoutes(services),
    ...runRoutes(services),
    ...scheduleRoutes(services),
    ...sandboxRoutes(services),
    ...emailRoutes(services),
    ...smsRoutes(services),
    ...pushSettingsRoutes(services),
    ...chatoneRoutes(services),
    ...chattwoRoutes(services),
    ...chatthreeRoutes(services),
    ...trackingRoutes(services),
    ...callbackRoutes(services),
    ...accountRoutes(services),
    ...auditRoutes(services),
    ...widgetRoutes(),
    ...operationRoutes(services, {
      version,
      routes: () => routes,
      draining,
      incidents: services.incidentBoard,
    }),
  ];
  return routes;
}

/** The routes of a process without the api role: liveness, readiness and metrics. */
export function workerRoutes(services: Services, { draining }: RouteOptions): Route[] {
  const { incidentBoard: incidents } = services;
  return operationRoutes(services, { version, routes: () => [], draining, incidents }).filter((route) =>
    ['/healthz', '/readyz', '/metrics'].includes(route.path),
  );
}
