import { missingParameter, Problem } from '../kernel/errors.ts';
import { withVendor } from '../kernel/vendors.ts';
import {
  type ConnectionRule,
  type ContentRule,
  checkSameTarget,
  type EndpointChannel,
  type RecipientField,
  type RecipientInput,
  type RecipientRule,
} from './spec.ts';

/** The rules of the two chat channels whose connections are endpoints: a webhook URL with a key. */

/** The field that names the endpoint, and its key or id. `endpoint` is preferred over the older fields. */
function namedEndpoint(
  channel: EndpointChannel,
  recipient: RecipientInput,
): { field: RecipientField; name: string } | null {
  const fields = ['endpoint', `${channel}_endpoint_id`, 'address'] as const;
  for (const field of fields) {
    const name = recipient[field];
    if (name) return { field, name };
  }
  return null;
}

export function endpointRecipient(channel: EndpointChannel): RecipientRule {
  return {
    targetOf(recipient) {
      const named = namedEndpoint(channel, recipient);
      if (!named) throw missingParameter('recipient.endpoint');
      checkSameTarget(recipient, named.field, named.name);
      return { address: named.name, isOwnAddress: false };
    },
    needsStoredAddress: () => false,
    addressesPerson: false,
  };
}

export function endpointConnection(channel: EndpointChannel): ConnectionRule {
  return {
    find(directory, environmentId, recipient) {
      const named = namedEndpoint(channel, recipient);
      return named ? directory.findChatEndpoint(environmentId, channel, named.name) : null;
    },
    missing(recipient) {
      const field = namedEndpoint(channel, recipient)?.field ?? 'endpoint';
      return new Problem(
        'endpoint_not_found',
        `There is no ${withVendor(channel)} endpoint with this key or id.`,
        { param: `recipient.${field}` },
      );
    },
  };
}

/** Chat services get only what a template renders to. */
export const templatedContent: ContentRule = {
  inlineContentOf: () => ({ subject: null, html_body: null, text_body: null }),
  takesAttachments: false,
};
