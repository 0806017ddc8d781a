export interface SmsMessage {
  channel: 'sms';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The number, in E.164 form. */
  to: { address: string; name: string | null };
  /** A number in E.164 form, or an alphanumeric sender id. */
  from: string;
  text: string;
}
