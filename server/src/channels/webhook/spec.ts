// webhook calls a URL, or a webhook endpoint of the environment, with a signed JSON body (Standard Webhooks).
import { missingParameter, Problem } from '../../kernel/errors.ts';
import type { WebhookMessage } from '../message.ts';
import { parseTarget } from '../net.ts';
import { type ChannelSpec, invalidRecipient } from '../spec.ts';
import { createWebhookPlanner } from './plan.ts';
import { postHeaders } from './post.ts';

export const webhookSpec: ChannelSpec = {
  recipient: {
    targetOf({ endpoint, address }) {
      if (endpoint) return { address: endpoint.toLowerCase(), isOwnAddress: false };
      if (!address) throw missingParameter('recipient.address', 'recipient.endpoint');
      checkUrl(address);
      return { address, isOwnAddress: false };
    },
    needsStoredAddress: () => false,
    addressesPerson: false,
  },
  connection: {
    async find(directory, environmentId, { endpoint }) {
      const found = endpoint ? await directory.findWebhookEndpoint(environmentId, endpoint) : null;
      return found && { id: null, key: null, ...found };
    },
    missing: ({ endpoint }) =>
      endpoint
        ? new Problem('endpoint_not_found', 'There is no webhook endpoint with this id.', {
            param: 'recipient.endpoint',
          })
        : null,
  },
  content: {
    inlineContentOf: ({ subject, html_body: html, text_body: text }) => ({
      subject: subject || null,
      html_body: html || null,
      text_body: text || null,
    }),
    takesAttachments: false,
  },
  createPlanner: createWebhookPlanner,
  preview: ({ body }: WebhookMessage) => ({ structured: JSON.parse(body) }),
  sandbox: {
    payloadOf: ({ notificationId: id, to, body, secrets, chain }: WebhookMessage, now) => ({
      method: 'POST',
      url: to.address,
      headers: postHeaders({ id, body, secrets, chain }, now),
      body,
    }),
  },
  hasSettings: false,
};

/** The sender decides which addresses are allowed, not this check: in Test nothing is called at all. */
function checkUrl(url: string): void {
  const target = parseTarget(url, 'all');
  if ('problem' in target) throw invalidRecipient('address', `recipient.address ${target.problem}.`);
}
