import type { Route } from '../../../../http/route.ts';
import { type EndpointArea, endpointRoutes } from '../endpoints/routes.ts';
import type { ChatEndpointsService } from '../endpoints/service.ts';
import { ChattwoEndpoint, ChattwoEndpointChange, ChattwoEndpointList, NewChattwoEndpoint } from './kind.ts';

const area: EndpointArea = {
  name: 'Chattwo',
  title: 'Microsoft Teams (chattwo)',
  accepts:
    'Requires the URL of a workflow that posts to a Microsoft Teams channel. The URL of a retired connector is rejected with `chattwo_legacy_connector_url`, any other URL with `chattwo_url_not_accepted`.',
  testSummary: 'Send a test card',
  schemas: {
    created: NewChattwoEndpoint,
    changed: ChattwoEndpointChange,
    endpoint: ChattwoEndpoint,
    list: ChattwoEndpointList,
  },
};

export function chattwoRoutes({
  chattwoEndpoints,
}: {
  chattwoEndpoints: ChatEndpointsService<ChattwoEndpoint>;
}): Route[] {
  return endpointRoutes(area, chattwoEndpoints);
}
