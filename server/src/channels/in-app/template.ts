import type { TemplateRule } from '../template-rule.ts';

export const inAppTemplate: TemplateRule = {
  fields: ['subject_template', 'html_template', 'text_template'],
  isRequired: false,
};
