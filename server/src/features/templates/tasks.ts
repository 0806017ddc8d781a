import { LRUCache } from 'lru-cache';
import { type BodyField, bodyFields } from '../../channels/template-rule.ts';
import { Problem } from '../../kernel/errors.ts';
import { countedTask, type Effort, runCounted } from '../../kernel/threads/effort.ts';
import { type TaskRunner, TaskStopped } from '../../kernel/threads/task.ts';
import { createBudget } from '../../templating/budget.ts';
import { withinEffort } from '../../templating/watchdog.ts';
import type { BodyFields } from './bodies.ts';
import { checkBody, type ParamOf } from './check.ts';
import { previewDraft, previewOf } from './preview.ts';
import { type CompiledBody, compileBody, type RenderedContent, RenderFailure } from './render.ts';

/** The computations of templates: a light effort runs in the main thread, anything heavier in a worker thread (ADR 11). */

interface CheckInput {
  body: BodyFields;
  /** How the request names each field. */
  params: Record<BodyField, string>;
}

export const templateCheckTask = countedTask('check_template', ({ body, params }: CheckInput, effort) => {
  checkBody(body, (field) => params[field], createBudget(effort));
  return null;
});

/** Throws a Problem that names the field. */
export async function checkBounded(
  tasks: TaskRunner,
  owner: string,
  body: BodyFields,
  paramOf: ParamOf,
): Promise<void> {
  const params = Object.fromEntries(bodyFields.map((field) => [field, paramOf(field)]));
  try {
    await runCounted(tasks, templateCheckTask, owner, { body, params } as CheckInput);
  } catch (error) {
    if (!(error instanceof TaskStopped)) throw error;
    const param = paramOf(bodyFields.find((field) => body[field] !== '') ?? 'html_template');
    throw new Problem('template_syntax_error', `${param}: ${error.message}.`, { param });
  }
}

export const templatePreviewTask = countedTask('preview_template', previewOf);
export const draftPreviewTask = countedTask('preview_draft', previewDraft);

interface RenderInput {
  body: BodyFields;
  data: object;
}

/** The form in which a RenderFailure is passed between threads. */
type RenderOutput = { rendered: RenderedContent } | { failure: string };

export const templateRenderTask = countedTask(
  'render_template',
  ({ body, data }: RenderInput, effort: Effort): RenderOutput => {
    try {
      return { rendered: withinEffort(effort, () => compiledOf(body)(data, createBudget(effort))) };
    } catch (error) {
      if (error instanceof RenderFailure) return { failure: error.message };
      throw error;
    }
  },
);

/** Renders a send that was too heavy for the main thread. */
export async function renderInThread(
  tasks: TaskRunner,
  owner: string,
  input: RenderInput,
): Promise<RenderedContent | RenderFailure> {
  try {
    const output = await tasks.run(templateRenderTask, owner, input);
    return 'rendered' in output ? output.rendered : new RenderFailure(output.failure);
  } catch (error) {
    if (error instanceof TaskStopped) return new RenderFailure(error.message);
    throw error;
  }
}

/** A thread receives the same body repeatedly while a template is sent to many recipients. */
const keptCharacters = 2_000_000;
const compiledBodies = new LRUCache<string, CompiledBody>({ maxSize: keptCharacters });

function compiledOf(body: BodyFields): CompiledBody {
  const key = JSON.stringify(body);
  const compiled = compiledBodies.get(key) ?? compileBody(body);
  compiledBodies.set(key, compiled, { size: key.length });
  return compiled;
}
