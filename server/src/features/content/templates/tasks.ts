import { LRUCache } from 'lru-cache';
import { type BodyField, bodyFields } from '../../../channels/template-rule.ts';
import { Problem } from '../../../kernel/errors.ts';
import { createBudget } from '../../../templating/budget.ts';
import type { PartialSources } from '../../../templating/partials.ts';
import { withinEffort } from '../../../templating/watchdog.ts';
import { countedTask, type Effort } from '../../../threads/effort.ts';
import { type TaskRunner, TaskStopped } from '../../../threads/task.ts';
import { type BodyFields, newBody } from './bodies.ts';
import { checkBody, checkFields } from './check.ts';
import { previewDraft, previewOf } from './preview.ts';
import {
  type BodyContext,
  type CompiledBody,
  compileBody,
  type RenderedContent,
  RenderFailure,
} from './render.ts';

/** The computations of templates: a light effort runs in the main thread, anything heavier in a worker thread (ADR 11). */

export interface CheckInput {
  body: BodyFields;
  /** How the request names each field. */
  params: Record<BodyField | 'layout', string>;
  partials: PartialSources;
}

export const templateCheckTask = countedTask(
  'check_template',
  ({ body, params, partials }: CheckInput, effort) =>
    checkBody(body, (field) => params[field], createBudget(effort), partials),
);

interface InlineCheckInput {
  body: BodyFields;
  /** How requests name each field. */
  names: Readonly<Record<BodyField, string>>;
}

/** Content of a request; each field is checked by itself, because partials and translations belong to stored templates. */
export const inlineCheckTask = countedTask(
  'check_inline',
  ({ body, names }: InlineCheckInput, effort): void => {
    const budget = createBudget(effort);
    for (const field of bodyFields) {
      if (body[field] === '') continue;
      const alone = { ...newBody(body.channel, null, {}), [field]: body[field] };
      const param = names[field];
      if (checkFields(alone, () => param, budget)?.translates)
        throw new Problem('template_syntax_error', `${param}: only stored templates have translations.`, {
          param,
        });
    }
  },
);

export const templatePreviewTask = countedTask('preview_template', previewOf);
export const draftPreviewTask = countedTask('preview_draft', previewDraft);

interface RenderInput {
  body: BodyFields;
  data: object;
  context: BodyContext;
  isDraft?: boolean;
}

/** The form in which a RenderFailure is passed between threads. */
type RenderOutput = { rendered: RenderedContent } | { failure: string };

export const templateRenderTask = countedTask(
  'render_template',
  ({ body, data, context, isDraft = false }: RenderInput, effort: Effort): RenderOutput => {
    const { translation } = context;
    try {
      return {
        rendered: withinEffort(effort, () =>
          compiledOf(body, context)(data, createBudget(effort), { translation, isDraft }),
        ),
      };
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

function compiledOf(body: BodyFields, { layout, partials, names }: BodyContext): CompiledBody {
  const parts = { layout, partials, names };
  const key = JSON.stringify([body, parts]);
  const compiled = compiledBodies.get(key) ?? compileBody(body, parts);
  compiledBodies.set(key, compiled, { size: key.length });
  return compiled;
}
