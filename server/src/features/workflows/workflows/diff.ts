import { canonicalJson } from '../../../kernel/json.ts';
import type { WorkflowPromotion } from './schema.ts';

type Diff = WorkflowPromotion['workflow_diff'];
type Change = Diff['status'];

interface Promotable {
  name: string;
  description: string | null;
  /** The parsed body with its credentials: a changed credential is a change. */
  body: unknown;
}

interface BodyParts {
  trigger_data_schema?: unknown;
  steps: { id: string }[];
}

/**
 * Returns the changes that a promotion of `next` makes to `before`, which is null when there is no version yet. The templates
 * feature reports changes of templates.
 */
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

/**
 * Steps in their new order, followed by the removed ones. Steps run in the order of the list, so the order shows a moved step.
 */
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
