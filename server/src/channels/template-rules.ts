import { chatoneTemplate } from './chatone/template.ts';
import { chatthreeTemplate } from './chatthree/template.ts';
import { chattwoTemplate } from './chattwo/template.ts';
import type { Channel } from './contract.ts';
import { emailTemplate } from './email/template.ts';
import { inAppTemplate } from './in-app/template.ts';
import { smsTemplate } from './sms/template.ts';
import type { TemplateRule } from './template-rule.ts';
import { webhookTemplate } from './webhook/template.ts';

/**
 * Table: channel → its rule for templates. Apart from specs.ts, because threads render templates: with the carriers and their
 * HTTP client a thread takes 100 ms longer to start, and 5 MB more.
 */
export const templateRules: Readonly<Record<Channel, TemplateRule>> = {
  email: emailTemplate,
  in_app: inAppTemplate,
  webhook: webhookTemplate,
  sms: smsTemplate,
  chatone: chatoneTemplate,
  chattwo: chattwoTemplate,
  chatthree: chatthreeTemplate,
};
