import { broadcastRoutes } from './features/campaigns/broadcasts/index.ts';
import { bulkActionRoutes } from './features/campaigns/bulk-actions/index.ts';
import { scheduleRoutes } from './features/campaigns/schedules/index.ts';
import { brandRoutes } from './features/content/brands/index.ts';
import { partRoutes } from './features/content/parts/index.ts';
import { templateRoutes } from './features/content/templates/index.ts';
import { brakeRoutes } from './features/control/brake/index.ts';
import { spendRoutes } from './features/control/spend/index.ts';
import { usageRoutes } from './features/control/usage/index.ts';
import { callbackRoutes } from './features/delivery/callbacks/index.ts';
import { contentRoutes } from './features/delivery/dispatch/index.ts';
import { pushRoutes } from './features/delivery/push/index.ts';
import { trackingRoutes } from './features/delivery/tracking/index.ts';
import { inboxRoutes } from './features/inbox/index.ts';
import { activityRoutes } from './features/insight/activity/index.ts';
import { notificationRoutes } from './features/notifications/notifications/index.ts';
import { sandboxRoutes } from './features/notifications/sandbox/index.ts';
import { audienceRoutes } from './features/people/audiences/index.ts';
import { preferencePageRoutes } from './features/people/preference-page/index.ts';
import { categoryRoutes, preferenceRoutes } from './features/people/preferences/index.ts';
import { suppressionRoutes } from './features/people/suppressions/index.ts';
import { unsubscribeRoutes } from './features/people/unsubscribe/index.ts';
import { userRoutes } from './features/people/users/index.ts';
import { accountRoutes } from './features/platform/accounts/index.ts';
import { auditRoutes } from './features/platform/audit/index.ts';
import { widgetRoutes } from './features/platform/static-files/index.ts';
import {
  chatoneRoutes,
  chatthreeRoutes,
  chattwoRoutes,
  emailRoutes,
  pushSettingsRoutes,
  smsRoutes,
} from './features/providers/connections/index.ts';
import { webhookRoutes } from './features/webhooks/index.ts';
import { runRoutes } from './features/workflows/runs/index.ts';
import { workflowRoutes } from './features/workflows/workflows/index.ts';
import { operationRoutes } from './http/operations.ts';
import type { Route } from './http/route.ts';
import { version } from './kernel/version.ts';
import type { Services } from './services.ts';

interface RouteOptions {
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
