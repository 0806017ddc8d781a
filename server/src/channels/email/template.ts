import type { TemplateRule } from '../template-rule.ts';

export const emailTemplate: TemplateRule = {
  fields: ['subject_template', 'html_template', 'text_template'],
  isRequired: false,
  needsSubject: true,
  derivesText: true,
};
