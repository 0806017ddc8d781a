import type { InboxDraft } from '../../ui/index.ts';

/** The body of a workflow in its wire format; a value without steps is not a body. */
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
  'throttle',
  'fetch',
  'cancel',
  'noop',
] as const;
export type Kind = (typeof kinds)[number];

/** The name of the end of a run as a target. */
export const endTarget = 'end';

/** Reads an incomplete body as far as possible: a missing id or kind is empty. */
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

interface Branch {
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

/** The tags and buttons of a send to the inbox. */
export function inboxDraftOf(step: Step): InboxDraft {
  const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  return {
    tags: listOf(step.tags).map(textOf),
    actions: listOf(step.actions).map((each) => {
      const { key, label, url, style } = isObject(each) ? each : {};
      return {
        key: textOf(key),
        label: textOf(label),
        url: textOf(url),
        style: style === 'default' ? '' : textOf(style),
      };
    }),
  };
}

/** Returns the targets of a step with their pointers below the step. */
export function targetsOf(step: Step): { pointer: string; target: string }[] {
  const fields = ['next', 'else', 'on_timeout', 'on_error', 'on_limit'];
  return [
    ...fields.map((field) => ({ pointer: `/${field}`, target: textOf(step[field]) })),
    ...branchesOf(step).map(({ goto }, index) => ({ pointer: `/branches/${index}/goto`, target: goto })),
  ].filter(({ target }) => target !== '');
}

export function indexOfStep(steps: readonly Step[], id: string): number {
  return steps.findIndex((step) => step.id === id);
}

export const writeBody = (body: Body): string => JSON.stringify(body, null, 2);
