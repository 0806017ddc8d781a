import type { Segmentation } from './sms/segments.ts';

export const bodyFields = [
  'subject_template',
  'text_template',
  'html_template',
  'structured_template',
] as const;
export type BodyField = (typeof bodyFields)[number];

export interface TemplateRule {
  /** The fields of a template's body that the channel uses, the most common first. */
  fields: readonly BodyField[];
  /** Sends need a template: the service takes JSON that only a template can give. */
  isRequired: boolean;
  needsSubject?: true;
  /** A subject without any other content is something to send. */
  subjectSuffices?: true;
  /** Text that is not given is derived from the HTML. */
  derivesText?: true;
  /** How the network splits a text, for channels that count parts. */
  segmentation?(text: string): Segmentation;
  /**
   * For a service that reads markup in the texts of its JSON: data is rendered with marks (templating/marks.ts), and this
   * function replaces them, so that data cannot cause mentions.
   */
  settleMarks?(structured: unknown): unknown;
  /** The reason why the service would reject rendered JSON, or null. */
  structuredProblem?(structured: unknown): string | null;
  /** The same for rendered text. */
  textProblem?(text: string): string | null;
  /** The JSON accompanies the text: alone it is nothing to send. */
  structuredIsExtra?: true;
}
