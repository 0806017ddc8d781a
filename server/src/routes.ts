import type { Deps } from './deps.ts';
import { accountRoutes } from './features/accounts/index.ts';
import { auditRoutes } from './features/audit/index.ts';
import { connectionRoutes } from './features/connections/index.ts';
import {
  createNotificationService,
  type LookupSources,
  notificationRoutes,
  type WriteOptions,
} from './features/notifications/index.ts';
import { sandboxRoutes } from './features/sandbox/index.ts';
import { operationRoutes } from './http/operations.ts';
import type { Route } from './http/route.ts';
import { version } from './version.ts';

export interface RouteOptions {
  draining: () => boolean;
  writing?: WriteOptions;
}

/** Table: every operation of the API, by area. */
export function allRoutes(deps: Deps, options: RouteOptions = { draining: () => false }): Route[] {
  const sources: LookupSources = { findTemplate: async () => null, findCategory: async () => null };
  const routes: Route[] = [
    ...notificationRoutes(createNotificationService(deps, sources, options.writing)),
    ...sandboxRoutes(deps),
    ...connectionRoutes(deps),
    ...accountRoutes(deps),
    ...auditRoutes(deps),
    ...operationRoutes(deps, { version, routes: () => routes, draining: options.draining }),
  ];
  return routes;
}

/** What a process without the api role still answers: is it alive, is it ready, how is it doing. */
export function workerRoutes(deps: Deps, options: RouteOptions): Route[] {
  return operationRoutes(deps, { version, routes: () => [], draining: options.draining }).filter((route) =>
    ['/healthz', '/readyz', '/metrics'].includes(route.path),
  );
}
