import { canonicalJson } from '../../kernel/json.ts';
import type { WorkflowPromotion } from './schema.ts';

type Diff = WorkflowPromotion['workflow_diff'];
type Change = Diff['status'];

export interface Promotable {
  name: string;
  description: string | null;
  /** Parsed, with its credentials: a changed one is a change. */
  body: unknown;
}

interface BodyParts {
  trigger_data_schema?: unknown;
  steps: { id: string }[];
}

/** What a promotion of `next` does to `before` (null: there is nothing yet). Templates are told of by their own feature. */
export function diffWorkflows(
  key: string,
  before: Promotable | null,
  next: Promotable,
): Omit<Diff, 'templates'> {
  const old = before ? (before.body as BodyParts) : null;
  const body = next.body as BodyParts;
  const parts = {
    name: change(before?.name, next.name),
    description: change(before?.description, next.description),
    trigger_data_schema: change(old?.trigger_data_schema, body.trigger_data_schema),
    steps: diffSteps(old?.steps ?? [], body.steps),
  };
  const isSame =
    before?.name === next.name &&
    before.description === next.description &&
    canonicalJson(old) === canonicalJson(body);
  return { key, status: before ? (isSame ? 'unchanged' : 'modified') : 'added', ...parts };
}

/** In the new order, then those that are gone. Steps run in the order they stand in, so a moved one is told by the order. */
function diffSteps(before: { id: string }[], next: { id: string }[]): Diff['steps'] {
  const old = new Map(before.map((step) => [step.id, step]));
  const kept = next.map((step) => ({ id: step.id, status: change(old.get(step.id), step) }));
  const ids = new Set(next.map(({ id }) => id));
  const gone = before.filter(({ id }) => !ids.has(id)).map(({ id }) => ({ id, status: 'removed' as const }));
  return [...kept, ...gone];
}

function change(before: unknown, next: unknown): Change {
  const isIn = (value: unknown): boolean => value !== undefined && value !== null;
  if (!isIn(before)) return isIn(next) ? 'added' : 'unchanged';
  if (!isIn(next)) return 'removed';
  return canonicalJson(before) === canonicalJson(next) ? 'unchanged' : 'modified';
}
