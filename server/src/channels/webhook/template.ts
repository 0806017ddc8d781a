import { bodyFields, type TemplateRule } from '../template-rule.ts';

export const webhookTemplate: TemplateRule = {
  fields: bodyFields,
  isRequired: false,
  subjectSuffices: true,
};
