// in_app is the inbox of a user, which the widgets and the inbox API show.
import { invalidParameter, missingParameter, Problem } from '../../kernel/errors.ts';
import type { InAppMessage } from '../message.ts';
import { invalidRecipient } from '../recipient.ts';
import type { ChannelSpec } from '../spec.ts';
import { extrasOf, extrasProblem, isSafeLink } from './extras.ts';
import { createInAppPlanner } from './plan.ts';
import { htmlProblem } from './sanitize.ts';

export const inAppSpec: ChannelSpec = {
  recipient: {
    targetOf({ external_user_id: userId, address }) {
      const id = userId || address;
      if (!id) throw missingParameter('recipient.external_user_id');
      if (id.length > 255) throw invalidRecipient('address', 'The user id must have at most 255 characters.');
      return { address: id, isOwnAddress: false };
    },
    needsStoredAddress: () => false,
    addressesPerson: true,
    addressIsUserId: true,
  },
  content: {
    /** Inboxes show the text when there is no HTML. */
    inlineContentOf({ subject, html_body: html, text_body: text }) {
      if (!html && !text)
        throw new Problem('parameter_missing', 'html_body or text_body is required, or a template_key.', {
          param: 'html_body',
        });
      const problem = html ? htmlProblem(html) : null;
      if (problem) throw invalidParameter('html_body', `html_body ${problem} on this channel.`);
      return { subject: subject || null, html_body: html || null, text_body: html ? null : text || null };
    },
    /** An inbox shows the URL as a link, so `javascript:` and the like are refused. */
    checkRemaining({ action_url: url }) {
      if (url && !isSafeLink(url))
        throw invalidParameter('action_url', 'action_url must be an http or https URL, or a relative one.');
    },
    extrasOf(content) {
      const { tags, actions } = content;
      if (!tags && !actions) return null;
      const problem = extrasProblem({ tags, actions });
      if (problem) throw invalidParameter(problem.split(' ')[0] ?? 'actions', `${problem}.`);
      return extrasOf(content);
    },
    takesAttachments: false,
  },
  createPlanner: createInAppPlanner,
  preview: ({ subject, html, text, actionUrl, data, tags, actions }: InAppMessage) => ({
    subject,
    html,
    text,
    structured: { action_url: actionUrl, data, tags, actions },
  }),
  sandbox: {
    payloadOf: ({ subject, html, text, actionUrl, data, tags, actions }: InAppMessage) => ({
      subject,
      html_body: html,
      text_body: text,
      action_url: actionUrl,
      data,
      tags,
      actions,
    }),
  },
  hasSettings: false,
  openMeansRead: true,
};
