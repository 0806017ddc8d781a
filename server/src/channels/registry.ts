import { provider as httpEmail } from './email/providers/http/index.ts';
import { provider as mailgun } from './email/providers/mailgun/index.ts';
import { provider as postmark } from './email/providers/postmark/index.ts';
import { provider as resend } from './email/providers/resend/index.ts';
import { provider as sendgrid } from './email/providers/sendgrid/index.ts';
import { provider as ses } from './email/providers/ses/index.ts';
import { provider as smtp } from './email/providers/smtp/index.ts';
import type { ProviderKind } from './provider.ts';
import { provider as sandbox } from './sandbox/index.ts';
import { provider as httpSms } from './sms/providers/http/index.ts';
import { provider as smsone } from './sms/providers/smsone/index.ts';
import { provider as smstwo } from './sms/providers/smstwo/index.ts';

export type { ProviderContext, ProviderKind } from './provider.ts';

/** Table: the kinds of email providers. A new provider is a folder and a line here. */
export const emailProviders: Readonly<Record<string, ProviderKind>> = {
  smtp,
  ses,
  sendgrid,
  postmark,
  resend,
  mailgun,
  http: httpEmail,
  sandbox,
};

/** The same table for text messages. */
export const smsProviders: Readonly<Record<string, ProviderKind>> = {
  smsone,
  smstwo,
  http: httpSms,
};
