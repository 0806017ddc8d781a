import { compileBounded, isMjml } from '../../../channels/email/mjml.ts';
import { type BodyField, bodyFields } from '../../../channels/template-rule.ts';
import { invalidParameter, missingParameter, Problem } from '../../../kernel/errors.ts';
import { runCounted } from '../../../threads/effort.ts';
import { computeOutsideTransaction } from '../../../threads/outside-transaction.ts';
import { type TaskRunner, TaskStopped } from '../../../threads/task.ts';
import { type Checking, loadPartials } from '../parts/index.ts';
import {
  applyFlat,
  type BodyFields,
  channelOf,
  type FlatInput,
  findBody,
  newBody,
  sortBodies,
} from './bodies.ts';
import { checkLocale, type ParamOf } from './check.ts';
import { type BodyElement, templateLimits } from './schema.ts';
import { type CheckInput, templateCheckTask } from './tasks.ts';
import { isDocument, noLayout } from './uses.ts';

const flatNames: Record<BodyField | 'layout', string> = {
  subject_template: 'subject_template',
  html_template: 'html_body_template',
  text_template: 'text_body_template',
  structured_template: 'structured_template',
  layout: 'layout',
};

interface BodiesInput extends FlatInput {
  bodies?: BodyElement[] | undefined;
}

/**
 * Runs a transaction with the bodies that a create or an update asks for: the listed ones, which are already checked, or else
 * the current ones. The flat fields are the email body, unless the list contains one. Only changed bodies are checked; saved
 * ones were checked when they were saved.
 */
export function nextBodies<Result>(
  checking: Checking,
  listed: BodyFields[] | undefined,
  input: FlatInput,
  transact: (nextOf: (current: BodyFields[]) => BodyFields[]) => Promise<Result>,
): Promise<Result> {
  const check = (body: BodyFields): Promise<BodyFields> =>
    checkBounded(checking, body, (field) => flatNames[field]);
  return computeOutsideTransaction({ compute: check, nameOf: JSON.stringify }, (checked) =>
    transact((current) => {
      const bodies = listed ?? current;
      if (listed && findBody(listed, 'email', null)) return checkSize(listed);
      const next = applyFlat(bodies, input);
      return checkSize(next.map((body) => (bodies.includes(body) ? body : checked(body))));
    }),
  );
}

/**
 * Checks the bodies that a request lists. This runs outside a transaction: a hundred bodies take seconds, and yield to other
 * requests.
 */
export async function listedBodies(
  checking: Checking,
  { bodies: elements }: BodiesInput,
): Promise<BodyFields[] | undefined> {
  if (elements === undefined) return undefined;
  const bodies: BodyFields[] = [];
  for (const [index, element] of elements.entries()) {
    const at = `bodies[${index}]`;
    const channel = channelOf(element.channel);
    if (!channel) throw invalidParameter(`${at}.channel`, `${at}.channel is not a channel.`);
    const locale = element.locale ? checkLocale(element.locale, `${at}.locale`) : null;
    const body = newBody(channel, locale, element);
    const checked = await checkBounded(checking, body, (field) => `${at}.${field}`);
    if (findBody(bodies, channel, locale))
      throw invalidParameter(at, `${at} has the same channel and locale as an earlier one.`);
    bodies.push(checked);
  }
  const orphan = bodies.findIndex((body) => !findBody(bodies, body.channel, null));
  if (orphan !== -1) throw needsDefault(`bodies[${orphan}].locale`);
  return sortBodies(bodies);
}

export function needsDefault(param: string) {
  return invalidParameter(
    param,
    `${param}: a locale is a variant of the default body; the channel has none yet.`,
  );
}

export function sizeOf(bodies: BodyFields[]): number {
  return bodies.reduce(
    (sum, body) =>
      sum +
      bodyFields.reduce((length, field) => length + body[field].length, body.derived?.html?.length ?? 0),
    0,
  );
}

/** Checks the total size of a template. */
export function checkSize(bodies: BodyFields[]): BodyFields[] {
  if (bodies.length > templateLimits.bodies)
    throw invalidParameter('bodies', `A template can have at most ${templateLimits.bodies} bodies.`);
  if (sizeOf(bodies) > templateLimits.template)
    throw invalidParameter(
      'bodies',
      `The bodies of a template can have at most ${templateLimits.template} characters in total.`,
    );
  return bodies;
}

/** A template without `bodies` has the flat fields, which are its email body. */
export function requireFlat(input: BodiesInput): void {
  if (input.bodies !== undefined) return;
  for (const field of ['subject_template', 'html_body_template'] as const) {
    if (!input[field]) throw missingParameter(field);
  }
}

/** Returns the body with what follows from its sources. Throws a Problem that names the field. */
export async function checkBounded(
  checking: Checking,
  body: BodyFields,
  paramOf: ParamOf,
): Promise<BodyFields> {
  const { tasks, environmentId } = checking;
  checkLayoutName(body, paramOf('layout'));
  const params = Object.fromEntries(
    ([...bodyFields, 'layout'] as const).map((name) => [name, paramOf(name)]),
  );
  const compiled = await withCompiledMjml(tasks, environmentId, body, paramOf('html_template'));
  const first = paramOf(bodyFields.find((field) => body[field] !== '') ?? 'html_template');
  try {
    const partials = await loadPartials(checking, sourcesOf(body), first);
    const input = { body: compiled, params, partials } as CheckInput;
    const derived = await runCounted(tasks, templateCheckTask, environmentId, input);
    const { derived: _before, ...rest } = body;
    return derived ? { ...rest, derived } : rest;
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    throw new Problem('template_syntax_error', `${first}: ${error.message}.`, { param: first });
  }
}

/** Whether the layout exists is known when the body is saved. */
function checkLayoutName(body: BodyFields, param: string): void {
  if (body.layout && body.layout !== noLayout && isDocument(body))
    throw invalidParameter(
      param,
      `${param}: a whole HTML document takes no layout. Remove its <html> and <head>.`,
    );
}

export const sourcesOf = (body: BodyFields): string[] => bodyFields.map((field) => body[field]);

/** MJML is compiled in a thread, before anything else is known about the body. */
export async function withCompiledMjml(
  tasks: TaskRunner,
  owner: string,
  body: BodyFields,
  param: string,
): Promise<BodyFields> {
  const { html_template: source } = body;
  if (body.channel !== 'email' || !isMjml(source)) return body;
  const html = await compileBounded(tasks, owner, { source, param });
  return { ...body, derived: { partials: [], keys: [], translates: false, ...body.derived, html } };
}
