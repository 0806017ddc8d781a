import type { TemplateRule } from '../template-rule.ts';
import { contentProblem, embedsProblem } from './shape.ts';

export const chatthreeTemplate: TemplateRule = {
  fields: ['text_template', 'structured_template'],
  isRequired: true,
  structuredProblem: embedsProblem,
  textProblem: contentProblem,
};
