import type { Manifest } from '../../../contract.ts';
import { httpApi, type VariablesOf, withoutCheck } from '../../../http-kind/api.ts';
import { readHttpCallback } from '../../../http-kind/callback.ts';
import { httpFields } from '../../../http-kind/fields.ts';
import { completeHttpConfig } from '../../../http-kind/settings.ts';
import type { EmailMessage } from '../../../message.ts';
import type { ProviderKind } from '../../../provider.ts';
import { createEmailApi, mailboxText, partsOf } from '../../api.ts';

const manifest: Manifest = { kind: 'http', channel: 'email', title: 'HTTP API', fields: httpFields };

/** Any service with an HTTP API, described by its settings. */
export const provider: ProviderKind = {
  manifest,
  complete: completeHttpConfig,
  create: (name, config, context) =>
    withoutCheck(config, createEmailApi(httpApi(name, config, variablesOf, context), context)),
  readCallback: (request, config) => readHttpCallback(request, config),
};

const variablesOf: VariablesOf<EmailMessage> = (message) => {
  const { from, to, replyTo, subject, text, html, headers, attachments } = partsOf(message);
  return {
    variables: {
      to: to.address,
      to_name: to.name,
      to_mailbox: mailboxText(to),
      from: from.address,
      from_name: from.name,
      from_mailbox: mailboxText(from),
      reply_to: replyTo,
      subject,
      text,
      html,
      headers: Object.fromEntries(headers),
      attachments: attachments.map(({ filename, contentType, contentId }) => ({
        filename,
        content_type: contentType,
        content_id: contentId ?? null,
      })),
    },
    files: attachments.map(({ bytes }) => bytes),
  };
};
