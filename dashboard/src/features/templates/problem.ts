import { CarillonError } from '@carillon/sdk';
import { type Body, type BodyField, type BodyLocation, bodyFields } from './content.ts';

/** A problem in a body, with the position that the service reports. */
export interface BodyProblem {
  message: string;
  field: BodyField | null;
  line: number | null;
  column: number;
}

const fieldPattern = /(subject|html|text|structured)_template/;

export function problemOf(error: unknown): BodyProblem | null {
  if (!(error instanceof CarillonError) || error.status !== 400) return null;
  const found = fieldPattern.exec(error.param ?? '') ?? fieldPattern.exec(error.message);
  const field = bodyFields.find((each) => each === found?.[0]) ?? null;
  const place = /\(line (\d+), column (\d+)\)/.exec(error.message);
  return {
    message: error.message.replace(/^(?:bodies\[\d+\]\.)?\w+_template: /, ''),
    field,
    line: place ? Number(place[1]) : null,
    column: Number(place?.[2] ?? 1),
  };
}

/** Finds the body that a save error names. */
export function bodyLocationOf(error: unknown, bodies: Body[]): BodyLocation | null {
  const index = error instanceof CarillonError ? /^bodies\[(\d+)\]/.exec(error.param ?? '')?.[1] : undefined;
  const body = index === undefined ? undefined : bodies[Number(index)];
  return body ? { channel: body.channel, locale: body.locale } : null;
}
