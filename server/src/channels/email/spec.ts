// email goes through a chain of providers: SMTP, SES, SendGrid, Postmark, Resend, Mailgun.
import { invalidParameter, missingParameter, Problem } from '../../kernel/errors.ts';
import { emailKey } from '../address-key.ts';
import type { EmailMessage } from '../message.ts';
import { type ChannelSpec, invalidRecipient, storedAddress } from '../spec.ts';
import { displayNameProblem, parseEmailAddress, parseReplyTo } from './address.ts';
import { createEmailPlanner } from './plan.ts';
import { emailPayloadOf, magicAnswer, previewOfStored, viewStoredEmail } from './sandbox.ts';

export const emailSpec: ChannelSpec = {
  recipient: {
    targetOf(recipient, user) {
      const parsed = parseEmailAddress(recipient.address || storedAddress(user?.email, recipient));
      if ('problem' in parsed) throw invalidRecipient('address', `recipient.address ${parsed.problem}.`);
      return { address: parsed.address, isOwnAddress: Boolean(recipient.address) };
    },
    needsStoredAddress: ({ address }) => !address,
    addressesPerson: true,
    addressKey: emailKey,
  },
  content: {
    inlineContentOf({ subject, html_body: html, text_body: text }) {
      if (!subject) throw missingParameter('subject');
      checkSubject(subject);
      if (!html && !text)
        throw new Problem('parameter_missing', 'html_body or text_body is required, or a template_key.', {
          param: 'html_body',
        });
      return { subject, html_body: html || null, text_body: text || null };
    },
    checkSubject,
    senderOf: ({ from_name: name, reply_to: replyTo }) => ({
      from_name: checkFromName(name || null),
      reply_to: checkReplyTo(replyTo || null),
    }),
    takesAttachments: true,
  },
  createPlanner: createEmailPlanner,
  preview: ({ from, replyTo, headers, subject, html, text }: EmailMessage) => ({
    from,
    reply_to: replyTo,
    headers,
    subject,
    html,
    text,
  }),
  sandbox: {
    payloadOf: emailPayloadOf,
    contentParts: { subject: 'subject', html: 'html_body', text: 'text_body' },
    answerTo: magicAnswer,
    viewOf: viewStoredEmail,
    previewOf: previewOfStored,
  },
  hasSettings: true,
};

function checkSubject(subject: string): void {
  if (/\p{Cc}/u.test(subject))
    throw invalidParameter('subject', 'subject must not contain line breaks or control characters.');
}

function checkFromName(name: string | null): string | null {
  const problem = name ? displayNameProblem(name) : null;
  if (problem) throw invalidParameter('from_name', `from_name ${problem}.`);
  return name;
}

function checkReplyTo(address: string | null): string | null {
  if (!address) return null;
  const parsed = parseReplyTo(address);
  if ('problem' in parsed) throw invalidParameter('reply_to', `reply_to ${parsed.problem}.`);
  return parsed.address;
}
