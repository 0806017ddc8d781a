import type { Deps } from '../../deps.ts';
import type { Route } from '../../http/route.ts';
import type { NotificationService } from '../notifications/index.ts';
import { chatoneRoutes } from './chatone/routes.ts';
import { chatthreeRoutes } from './chatthree/routes.ts';
import { chattwoRoutes } from './chattwo/routes.ts';

export function chatRoutes(deps: Deps, notifications: Pick<NotificationService, 'sendTest'>): Route[] {
  return [
    ...chatoneRoutes(deps, notifications),
    ...chattwoRoutes(deps, notifications),
    ...chatthreeRoutes(deps, notifications),
  ];
}
