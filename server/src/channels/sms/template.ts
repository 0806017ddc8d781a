import type { TemplateRule } from '../template-rule.ts';
import { segmentationOf } from './segments.ts';

export const smsTemplate: TemplateRule = {
  fields: ['text_template'],
  isRequired: false,
  segmentation: segmentationOf,
};
