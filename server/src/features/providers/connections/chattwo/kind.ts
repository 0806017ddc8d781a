import { type Static, Type } from 'typebox';
import { flavourOf, type WebhookFlavour } from '../../../../channels/chattwo/index.ts';
import { parseTarget } from '../../../../channels/net.ts';
import type { Deps } from '../../../../deps.ts';
import { DateTime, OneOf } from '../../../../http/schema.ts';
import { Problem } from '../../../../kernel/errors.ts';
import { idTime } from '../../../../kernel/ids.ts';
import { connectionHealthView } from '../../provider-health/index.ts';
import { EndpointListOf, endpointFields, health, Key, Label, WebhookUrl } from '../endpoints/schema.ts';
import type { EndpointKind } from '../endpoints/service.ts';
import type { ChatEndpointRow } from '../endpoints/store.ts';

export const NewChattwoEndpoint = Type.Object(
  { label: Label, webhook_url: WebhookUrl, key: Key },
  {
    title: 'NewChattwoEndpoint',
    examples: [
      {
        label: 'Operations',
        webhook_url: 'https://prod-00.westeurope.logic.azure.com/workflows/0123/triggers/manual/paths/invoke',
      },
    ],
  },
);

export const ChattwoEndpointChange = Type.Object(
  { label: Type.Optional(Label), webhook_url: Type.Optional(WebhookUrl) },
  { title: 'ChattwoEndpointChange', examples: [{ label: 'Operations' }] },
);

export const ChattwoEndpoint = Type.Object(
  {
    ...endpointFields,
    flavour: OneOf(['WorkflowsVariantA', 'WorkflowsVariantB', 'LegacyConnector']),
    ...health,
    created_at: DateTime,
  },
  { title: 'ChattwoEndpoint' },
);
export type ChattwoEndpoint = Static<typeof ChattwoEndpoint>;

export const ChattwoEndpointList = EndpointListOf(ChattwoEndpoint);

const param = 'webhook_url';

export function chattwoKind({ config }: Pick<Deps, 'config'>): EndpointKind<ChattwoEndpoint> {
  return {
    channel: 'chattwo',
    readUrl(url) {
      const flavour = flavourOf(url, config.CARILLON_CHATTWO_URL_PATTERNS);
      if (flavour === 'LegacyConnector') {
        throw new Problem(
          'chattwo_legacy_connector_url',
          'Connectors are retired. In the channel, create the workflow "Post to a channel when a webhook request is received", let anyone trigger it, and use its URL.',
          { param },
        );
      }
      if (!flavour || 'problem' in parseTarget(url, config.CARILLON_ALLOW_PRIVATE_NETWORK))
        throw new Problem('chattwo_url_not_accepted', 'webhook_url is not a workflow URL.', { param });
      return flavour;
    },
    viewOf,
    test: {
      text: null,
      structured: {
        type: 'AdaptiveCard',
        version: '1.5',
        body: [
          { type: 'TextBlock', text: 'Hello from Carillon.', weight: 'Bolder', size: 'Medium', wrap: true },
          { type: 'TextBlock', text: 'A test message: this endpoint works.', wrap: true },
        ],
      },
    },
  };
}

function viewOf(row: ChatEndpointRow): ChattwoEndpoint {
  return {
    id: row.id,
    key: row.key,
    label: row.label,
    webhook_url_prefix: row.url_prefix,
    flavour: row.flavour as WebhookFlavour,
    ...connectionHealthView(row),
    created_at: new Date(idTime(row.id)).toISOString(),
  };
}
