import type { Deps } from '../../../deps.ts';
import type { Route } from '../../../http/route.ts';
import type { NotificationService } from '../../notifications/index.ts';
import { type EndpointArea, endpointRoutes } from '../endpoints/routes.ts';
import { createEndpointsService } from '../endpoints/service.ts';
import { chattwoKind } from './kind.ts';
import { ChattwoEndpoint, ChattwoEndpointChange, ChattwoEndpointList, NewChattwoEndpoint } from './schema.ts';

const area: EndpointArea = {
  name: 'Chattwo',
  title: 'Microsoft Teams (chattwo)',
  accepts:
    'The URL of a workflow that posts to a Microsoft Teams channel. One of a retired connector is refused with `chattwo_legacy_connector_url`, anything else with `chattwo_url_not_accepted`.',
  testSummary: 'Send a test card',
  schemas: {
    created: NewChattwoEndpoint,
    changed: ChattwoEndpointChange,
    endpoint: ChattwoEndpoint,
    list: ChattwoEndpointList,
  },
};

export function chattwoRoutes(
  deps: Pick<Deps, 'pool' | 'queue' | 'keyring' | 'clock' | 'config'>,
  notifications: Pick<NotificationService, 'sendTest'>,
): Route[] {
  return endpointRoutes(area, createEndpointsService(deps, notifications, chattwoKind(deps)));
}
