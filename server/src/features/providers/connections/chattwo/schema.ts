import { type Static, Type } from 'typebox';
import { DateTime, OneOf } from '../../../../http/schema.ts';
import { EndpointListOf, endpointFields, health, Key, Label, WebhookUrl } from '../endpoints/schema.ts';

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
