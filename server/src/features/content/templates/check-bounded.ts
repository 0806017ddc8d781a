import { compileBounded, isMjml } from '../../../channels/email/mjml.ts';
import { bodyFields } from '../../../channels/template-rule.ts';
import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { runCounted } from '../../../threads/effort.ts';
import { type TaskRunner, TaskStopped } from '../../../threads/task.ts';
import { type Checking, loadPartials } from '../parts/index.ts';
import type { BodyFields } from './bodies.ts';
import type { ParamOf } from './check.ts';
import { type CheckInput, templateCheckTask } from './tasks.ts';
import { isDocument, noLayout } from './uses.ts';

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
