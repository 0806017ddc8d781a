import type { MessageEnvelope } from '../envelope.ts';

export interface SmsMessage extends MessageEnvelope {
  channel: 'sms';
  /** A number in E.164 form, or an alphanumeric sender id. */
  from: string;
  text: string;
}
