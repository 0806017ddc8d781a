import { blocksProblem, settledMarks } from './chatone/payload.ts';
import { contentProblem, embedsProblem } from './chatthree/payload.ts';
import { cardProblem } from './chattwo/shape.ts';
import type { Channel } from './contract.ts';
import { extrasProblem } from './in-app/extras.ts';
import { segmentationOf } from './sms/segments.ts';
import { bodyFields, type TemplateRule } from './template-rule.ts';

const webhookTemplate: TemplateRule = {
  fields: bodyFields,
  isRequired: false,
  subjectSuffices: true,
};

const smsTemplate: TemplateRule = {
  fields: ['text_template'],
  isRequired: false,
  segmentation: segmentationOf,
};

const inAppTemplate: TemplateRule = {
  fields: ['subject_template', 'html_template', 'text_template', 'structured_template'],
  isRequired: false,
  structuredProblem: extrasProblem,
  structuredIsExtra: true,
};

const emailTemplate: TemplateRule = {
  fields: ['subject_template', 'html_template', 'text_template'],
  isRequired: false,
  needsSubject: true,
  derivesText: true,
};

const chattwoTemplate: TemplateRule = {
  fields: ['structured_template'],
  isRequired: true,
  structuredProblem: cardProblem,
};

const chatthreeTemplate: TemplateRule = {
  fields: ['text_template', 'structured_template'],
  isRequired: true,
  structuredProblem: embedsProblem,
  textProblem: contentProblem,
};

const chatoneTemplate: TemplateRule = {
  fields: ['structured_template'],
  isRequired: true,
  settleMarks: settledMarks,
  structuredProblem: blocksProblem,
};

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
