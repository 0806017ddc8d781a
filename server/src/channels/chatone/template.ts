import type { TemplateRule } from '../template-rule.ts';
import { settledMarks } from './marks.ts';
import { blocksProblem } from './shape.ts';

export const chatoneTemplate: TemplateRule = {
  fields: ['structured_template'],
  isRequired: true,
  settleMarks: settledMarks,
  structuredProblem: blocksProblem,
};
