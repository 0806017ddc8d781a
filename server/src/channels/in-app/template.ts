import type { TemplateRule } from '../template-rule.ts';
import { extrasProblem } from './extras.ts';

export const inAppTemplate: TemplateRule = {
  fields: ['subject_template', 'html_template', 'text_template', 'structured_template'],
  isRequired: false,
  structuredProblem: extrasProblem,
  structuredIsExtra: true,
};
