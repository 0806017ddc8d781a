import { type Body, branchesOf, endTarget, isObject, type Kind, type Step } from '../definition.ts';

/** Edits of a body. Each returns a new body whose references to steps stay valid. */
export function replaceStep(body: Body, index: number, step: Step): Body {
  return { ...body, steps: body.steps.map((each, at) => (at === index ? step : each)) };
}

/** An empty field is removed. */
export function setField(step: Step, name: string, value: unknown): Step {
  if (value !== '' && value !== undefined) return { ...step, [name]: value };
  const { [name]: _gone, ...rest } = step;
  return rest as Step;
}

export function addStep(body: Body, after: number, kind: Kind): { body: Body; index: number } {
  const index = after + 1;
  const step = { id: freeId(body, kind), kind, ...emptyFields(kind, body) };
  return { index, body: { ...body, steps: body.steps.toSpliced(index, 0, step) } };
}

/** The fields of the former kind go with it: the service refuses them in a step of another kind. */
export function changeKind(body: Body, index: number, kind: Kind): Body {
  const step = body.steps[index];
  if (!step || step.kind === kind) return body;
  const { id, when, next } = step;
  const kept = { id, kind, ...(when !== undefined && { when }), ...(next !== undefined && { next }) };
  return replaceStep(body, index, { ...kept, ...emptyFields(kind, body) });
}

export function removeStep(body: Body, index: number): Body {
  const gone = body.steps[index];
  const steps = body.steps.toSpliced(index, 1);
  if (!gone) return body;
  // Steps that led here lead to the step after it.
  const heir = typeof gone.next === 'string' ? gone.next : (steps[index]?.id ?? endTarget);
  return { ...body, steps: steps.map((step) => withTargets(step, gone.id, heir)) };
}

export function moveStep(body: Body, index: number, by: 1 | -1): Body {
  const step = body.steps[index];
  const target = index + by;
  if (!step || target < 0 || target >= body.steps.length) return body;
  return { ...body, steps: body.steps.toSpliced(index, 1).toSpliced(target, 0, step) };
}

/** Renames the step, its targets and `steps.<id>` in templates and expressions. */
export function renameStep(body: Body, index: number, id: string): Body {
  const former = body.steps[index]?.id;
  if (former === undefined || former === id) return body;
  const isShared = body.steps.some((step, at) => at !== index && step.id === former);
  const steps = body.steps.map((step, at) => (at === index ? { ...step, id } : step));
  if (isShared || former === '') return { ...body, steps };
  return {
    ...body,
    steps: steps.map((step) => renameMentions(withTargets(step, former, id), former, id) as Step),
  };
}

function withTargets(step: Step, from: string, to: string): Step {
  const changed = { ...step };
  for (const field of ['next', 'else', 'on_timeout', 'on_error', 'on_limit']) {
    if (changed[field] === from) changed[field] = to;
  }
  if (Array.isArray(step.branches) && branchesOf(step).some(({ goto }) => goto === from)) {
    changed.branches = step.branches.map((branch: unknown) =>
      isObject(branch) && branch.goto === from ? { ...branch, goto: to } : branch,
    );
  }
  return changed;
}

/** `steps.mail.output`, `steps["mail-2"].output`: an id that is not an identifier needs the second form. */
function renameMentions(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') {
    const written = /^[A-Za-z_]\w*$/.test(to) ? `steps.${to}` : `steps["${to}"]`;
    // An id can be any text until it is corrected.
    const escaped = from.replaceAll(/\W/g, '\\$&');
    return value
      .replaceAll(new RegExp(`\\bsteps\\.${escaped}(?![\\w-])`, 'g'), () => written)
      .replaceAll(new RegExp(`\\bsteps\\[(["'])${escaped}\\1\\]`, 'g'), () => written);
  }
  if (Array.isArray(value)) return value.map((each) => renameMentions(each, from, to));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, renameMentions(each, from, to)]),
  );
}

function freeId(body: Body, kind: Kind): string {
  const taken = new Set(body.steps.map(({ id }) => id));
  const stem = { wait_for_event: 'wait' }[kind as string] ?? kind;
  for (let number = 1; ; number++) {
    const id = number === 1 ? stem : `${stem}_${number}`;
    if (!taken.has(id)) return id;
  }
}

/** A new step can be saved at once; its fields show what is missing. */
function emptyFields(kind: Kind, body: Body): Record<string, unknown> {
  switch (kind) {
    case 'send':
      return {
        channel: 'email',
        recipient: { address: '{{ trigger.email }}' },
        subject: 'A subject',
        text_body: 'A text.',
      };
    case 'delay':
      return { duration: '1d' };
    case 'branch':
      return { branches: [{ when: 'true', goto: body.steps.at(-1)?.id || endTarget }] };
    case 'wait_for_event':
      return { event: 'event_name', timeout: '1d' };
    case 'digest':
      return { key: '{{ trigger.external_user_id }}', window: '1h' };
    case 'throttle':
      return { key: '{{ trigger.external_user_id }}', limit: 1, window: '1h' };
    case 'fetch':
      return { url: 'https://api.example.com/' };
    default:
      return {};
  }
}
