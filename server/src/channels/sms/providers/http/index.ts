import type { Manifest, ProviderConfig } from '../../../contract.ts';
import { httpApi, type VariablesOf, withoutCheck } from '../../../http-kind/api.ts';
import { type ReplyReader, readHttpCallback } from '../../../http-kind/callback.ts';
import { httpFields, replyFields } from '../../../http-kind/fields.ts';
import { textAt } from '../../../http-kind/pointer.ts';
import { completeHttpConfig, textOf } from '../../../http-kind/settings.ts';
import type { SmsMessage } from '../../../message.ts';
import type { ProviderKind } from '../../../provider.ts';
import { createSmsApi, optOutOf } from '../../api.ts';
import { segmentationOf } from '../../segments.ts';

const manifest: Manifest = {
  kind: 'http',
  channel: 'sms',
  title: 'HTTP API',
  fields: [...httpFields, ...replyFields],
};

/** Any service with an HTTP API, described by its settings. */
export const provider: ProviderKind = {
  manifest,
  complete: completeHttpConfig,
  create: (name, config, context) =>
    withoutCheck(config, createSmsApi(httpApi(name, config, variablesWith(config), context), context)),
  readCallback: (request, config) => readHttpCallback(request, config, readReply),
};

/** `callback_url` is added by the server. A service that repeats nothing of ours calls the URL that names the notification. */
const variablesWith =
  ({ callback_url: url }: ProviderConfig): VariablesOf<SmsMessage> =>
  ({ from, text, notificationId }) => ({
    variables: {
      from,
      text,
      encoding: segmentationOf(text).encoding,
      callback_url: typeof url === 'string' ? `${url}?n=${notificationId}` : '',
    },
  });

const readReply: ReplyReader = (item, config, eventId) => {
  const number = textAt(item, textOf(config, 'reply_from_pointer'))?.replace(/^\+/, '') ?? '';
  const wants = optOutOf(textAt(item, textOf(config, 'reply_text_pointer')) ?? '');
  if (!wants || !/^\d{7,15}$/.test(number)) return [];
  const detail = wants === 'nothing' ? 'The recipient replied STOP.' : 'The recipient replied START.';
  return [{ about: 'recipient', address: `+${number}`, wants, detail, eventId: `${eventId}:${wants}` }];
};
