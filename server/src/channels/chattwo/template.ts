import type { TemplateRule } from '../template-rule.ts';
import { cardProblem } from './shape.ts';

export const chattwoTemplate: TemplateRule = {
  fields: ['structured_template'],
  isRequired: true,
  structuredProblem: cardProblem,
};
