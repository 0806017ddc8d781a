import type { Route } from '../../../../http/route.ts';
import { type EndpointArea, endpointRoutes } from '../endpoints/routes.ts';
import type { ChatEndpointsService } from '../endpoints/service.ts';
import {
  ChatthreeEndpoint,
  ChatthreeEndpointChange,
  ChatthreeEndpointList,
  NewChatthreeEndpoint,
} from './kind.ts';

const area: EndpointArea = {
  name: 'Chatthree',
  title: 'Discord (chatthree)',
  accepts:
    'Requires the webhook URL of a Discord channel; any other URL is rejected with `chatthree_url_not_accepted`.',
  testSummary: 'Send a test message',
  schemas: {
    created: NewChatthreeEndpoint,
    changed: ChatthreeEndpointChange,
    endpoint: ChatthreeEndpoint,
    list: ChatthreeEndpointList,
  },
};

export function chatthreeRoutes({
  chatthreeEndpoints,
}: {
  chatthreeEndpoints: ChatEndpointsService<ChatthreeEndpoint>;
}): Route[] {
  return endpointRoutes(area, chatthreeEndpoints);
}
