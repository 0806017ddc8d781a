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
  /** The service reads markup in texts of the JSON, in which data must not cause mentions. */
  hasMarks?: true;
  /** Text that is not given is derived from the HTML. */
  derivesText?: true;
  /** How the network splits a text, for channels that count parts. */
  segmentation?(text: string): Segmentation;
  /** The last change to rendered JSON. */
  settle?(structured: unknown): unknown;
  /** The reason why the service would reject rendered JSON, or null. */
  structuredProblem?(structured: unknown): string | null;
  /** The same for rendered text. */
  textProblem?(text: string): string | null;
}
