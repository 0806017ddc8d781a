/** A workflow's body as it is on the wire; what is not an object with steps is no body at all. */
export interface Step {
  id: string;
  kind: string;
  [field: string]: unknown;
}

export interface Body {
  trigger_data_schema?: unknown;
  steps: Step[];
  [field: string]: unknown;
}

export const kinds = [
  'send',
  'delay',
  'branch',
  'wait_for_event',
  'digest',
  'fetch',
  'cancel',
  'noop',
] as const;
export type Kind = (typeof kinds)[number];

/** The end of a run, wherever a step can be named. */
export const endTarget = 'end';

/** Half a body is drawn as far as it goes: a step without an id or a kind has an empty one. */
export function readBody(value: unknown): Body | null {
  if (!isObject(value) || !Array.isArray(value.steps)) return null;
  const steps = value.steps.map((each: unknown) => {
    const step = isObject(each) ? each : {};
    return { ...step, id: textOf(step.id), kind: textOf(step.kind) };
  });
  return { ...value, steps };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export interface Branch {
  when: string;
  goto: string;
}

export function branchesOf(step: Step): Branch[] {
  const branches = Array.isArray(step.branches) ? step.branches : [];
  return branches.map((each: unknown) => {
    const branch = isObject(each) ? each : {};
    return { when: textOf(branch.when), goto: textOf(branch.goto) };
  });
}

/** The fields of a step that name another one, with where they stand below the step. */
export function targetsOf(step: Step): { pointer: string; target: string }[] {
  const fields = ['next', 'else', 'on_timeout', 'on_error'];
  return [
    ...fields.map((field) => ({ pointer: `/${field}`, target: textOf(step[field]) })),
    ...branchesOf(step).map(({ goto }, index) => ({ pointer: `/branches/${index}/goto`, target: goto })),
  ].filter(({ target }) => target !== '');
}

export function indexOfStep(steps: readonly Step[], id: string): number {
  return steps.findIndex((step) => step.id === id);
}

export const writeBody = (body: Body): string => JSON.stringify(body, null, 2);
