import type { ChatthreeEndpoint, ChattwoEndpoint, Client } from '@carillon/sdk';

export type EndpointChannel = 'chattwo' | 'chatthree';
export type Endpoint = ChattwoEndpoint | ChatthreeEndpoint;

export interface EndpointInput {
  label: string;
  /** Unchanged when absent. */
  webhook_url?: string;
  key?: string;
  default_username?: string | null;
  default_avatar_url?: string | null;
}

/** Both channels have the same operations; only chatthree has a display name. */
export function endpointsOf(api: Client, channel: EndpointChannel) {
  return channel === 'chattwo' ? api.chattwo : api.chatthree;
}

export function listKey(channel: EndpointChannel) {
  return ['endpoints', channel];
}

export function displayNameOf(endpoint: Endpoint | null) {
  return endpoint && 'default_username' in endpoint
    ? { username: endpoint.default_username ?? '', avatar: endpoint.default_avatar_url ?? '' }
    : { username: '', avatar: '' };
}
