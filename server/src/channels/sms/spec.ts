// sms is text messages, sent through a provider: smsone is Twilio, smstwo is Vonage.
import { invalidParameter, missingParameter } from '../../kernel/errors.ts';
import { parsePhoneNumber } from '../address-key.ts';
import type { SmsMessage } from '../message.ts';
import { type ChannelSpec, invalidRecipient, storedAddress } from '../spec.ts';
import { createSmsPlanner, magicAnswer } from './plan.ts';
import { segmentationOf, textProblem } from './segments.ts';

export const smsSpec: ChannelSpec = {
  recipient: {
    targetOf(recipient, user) {
      const parsed = parsePhoneNumber(recipient.address || storedAddress(user?.phone, recipient));
      if ('problem' in parsed) throw invalidRecipient('address', `recipient.address ${parsed.problem}.`);
      return { address: parsed.number, isOwnAddress: Boolean(recipient.address) };
    },
    needsStoredAddress: ({ address }) => !address,
    addressesPerson: true,
    addressKey: (number) => number,
  },
  content: {
    inlineContentOf({ text_body: text }) {
      if (!text) throw missingParameter('text_body');
      const problem = text.trim() === '' ? 'must not be blank' : textProblem(text);
      if (problem) throw invalidParameter('text_body', `text_body ${problem} on this channel.`);
      return { subject: null, html_body: null, text_body: text };
    },
    takesAttachments: false,
  },
  createPlanner: createSmsPlanner,
  preview: ({ from, text }: SmsMessage) => ({ from: { address: from, name: null }, text }),
  sandbox: {
    payloadOf({ to, from, text }: SmsMessage) {
      const { encoding, segments } = segmentationOf(text);
      return { to: to.address, from, text, encoding, segments };
    },
    contentParts: { text: 'text_body' },
    answerTo: magicAnswer,
  },
  hasSettings: true,
};
