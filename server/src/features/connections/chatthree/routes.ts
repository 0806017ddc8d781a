import type { Deps } from '../../../deps.ts';
import type { Route } from '../../../http/route.ts';
import type { NotificationService } from '../../notifications/index.ts';
import { type EndpointArea, endpointRoutes } from '../endpoints/routes.ts';
import { createEndpointsService } from '../endpoints/service.ts';
import { chatthreeKind } from './kind.ts';
import {
  ChatthreeEndpoint,
  ChatthreeEndpointChange,
  ChatthreeEndpointList,
  NewChatthreeEndpoint,
} from './schema.ts';

const area: EndpointArea = {
  name: 'Chatthree',
  title: 'Discord (chatthree)',
  accepts:
    'The URL of a webhook of a Discord channel; anything else is refused with `chatthree_url_not_accepted`.',
  testSummary: 'Send a test message',
  schemas: {
    created: NewChatthreeEndpoint,
    changed: ChatthreeEndpointChange,
    endpoint: ChatthreeEndpoint,
    list: ChatthreeEndpointList,
  },
};

export function chatthreeRoutes(
  deps: Pick<Deps, 'pool' | 'queue' | 'keyring' | 'clock' | 'config'>,
  notifications: Pick<NotificationService, 'sendTest'>,
): Route[] {
  return endpointRoutes(area, createEndpointsService(deps, notifications, chatthreeKind(deps)));
}
