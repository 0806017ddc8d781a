import { textTask } from '../../channels/email/text.ts';
import { bodyFields } from '../../channels/template-rule.ts';
import { templateRules } from '../../channels/template-rules.ts';
import { invalidParameter, Problem } from '../../kernel/errors.ts';
import type { Effort } from '../../kernel/threads/effort.ts';
import { type TaskRunner, TaskStopped } from '../../kernel/threads/task.ts';
import { withVendor } from '../../kernel/vendors.ts';
import { type Budget, createBudget } from '../../templating/budget.ts';
import { undefinedVariables, variablesOf } from '../../templating/compile.ts';
import { TemplateFault } from '../../templating/fault.ts';
import { TimeLimitExceeded, withinEffort } from '../../templating/watchdog.ts';
import { type BodyFields, bodyChannels, channelOf, chooseBody, newBody } from './bodies.ts';
import { checkFields, checkLocale } from './check.ts';
import { compileBody, flavours, outputLimits, RenderFailure } from './render.ts';
import type { PreviewRequest, PreviewResponse, RenderRequest, RenderResponse } from './schema.ts';

/** A preview whose text part may still be missing: for an email without one, the text is derived from the HTML. */
export type TemplatePreview<Response extends RenderResponse> = Omit<Response, 'text_body'> & {
  text_body: string | null;
};

export async function withDerivedText<Response extends RenderResponse>(
  tasks: TaskRunner,
  owner: string,
  previewed: TemplatePreview<Response>,
): Promise<Response> {
  const { text_body: text, html_body: html } = previewed;
  const derived = text ?? (await tasks.run(textTask, owner, html).catch(explain));
  return { ...previewed, text_body: derived } as Response;
}

export interface PreviewInput {
  body: BodyFields;
  data?: object | null | undefined;
  strict?: boolean | null | undefined;
}

/** Renders what a send with this data would contain. */
export function previewOf(input: PreviewInput, effort: Effort): TemplatePreview<RenderResponse> {
  return explained(effort, () => rendered(input, false, budgetsFor(effort)));
}

/** In a thread, each part of a preview has the budget of a rendering; in the main thread all parts share one. */
function budgetsFor(effort: Effort): () => Budget {
  if (effort === 'full') return createBudget;
  const shared = createBudget(effort);
  return () => shared;
}

function rendered(
  { body, data, strict }: PreviewInput,
  isDraft: boolean,
  nextBudget: () => Budget,
): TemplatePreview<RenderResponse> {
  if (strict) refuseUndefined(body, data ?? {}, nextBudget());
  const content = compileBody(body)(data ?? {}, nextBudget(), isDraft);
  const html = content.html_body ?? '';
  return {
    subject: content.subject ?? '',
    html_body: html,
    text_body: content.text_body ?? (templateRules[body.channel].derivesText ? null : ''),
    structured: content.structured,
  };
}

/** Previews an unsaved body: nothing is stored, and missing fields are reported instead of refused. */
export function previewDraft(request: PreviewRequest, effort: Effort): TemplatePreview<PreviewResponse> {
  const channel = channelOf(request.channel);
  if (!channel) throw invalidParameter('channel', 'The channel does not exist.');
  const locale = request.locale ? checkLocale(request.locale, 'locale') : null;
  const body = newBody(channel, locale, request);
  const nextBudget = budgetsFor(effort);
  checkFields(body, (field) => field, nextBudget());
  return explained(effort, () => {
    const content = rendered({ ...request, body }, true, nextBudget);
    return {
      ...content,
      undefined_variables: undefinedIn(body, request.data ?? {}, nextBudget()),
      variables: variablesIn(body, nextBudget()),
      sms: templateRules[channel].segmentation?.(content.text_body ?? '') ?? null,
    };
  });
}

/** Runs within the time limit of a rendering and turns its failures into answers. */
function explained<Result>(effort: Effort, work: () => Result): Result {
  try {
    return withinEffort(effort, work);
  } catch (error) {
    return explain(error);
  }
}

const faults = [RenderFailure, TemplateFault, TimeLimitExceeded, TaskStopped];

export function explain(error: unknown): never {
  if (!faults.some((fault) => error instanceof fault)) throw error;
  const { message } = error as Error;
  throw new Problem('template_render_failed', `The template cannot be rendered: ${message}.`, {
    param: 'data',
  });
}

export function bodyFor(bodies: BodyFields[], { channel: name, locale, data }: RenderRequest): BodyFields {
  const channel = name ? channelOf(name) : (bodyChannels(bodies)[0] ?? 'email');
  const wanted = locale ?? (typeof data?.locale === 'string' ? data.locale : null);
  const body = channel && chooseBody(bodies, channel, wanted);
  if (!body)
    throw new Problem(
      'template_body_missing',
      `The template has no body for ${withVendor(channel ?? String(name))}.`,
      {
        param: 'channel',
      },
    );
  return body;
}

function refuseUndefined(body: BodyFields, data: object, budget: Budget): void {
  const names = undefinedIn(body, data, budget);
  if (names.length === 0) return;
  throw new Problem('parameter_invalid', `These variables are undefined: ${names.join(', ')}.`, {
    param: 'data',
  });
}

function undefinedIn(body: BodyFields, data: object, budget: Budget): string[] {
  const names = bodyFields.flatMap((field) => {
    if (body[field] === '') return [];
    budget.useForReading(body[field]);
    const options = { locale: body.locale, budget, limit: outputLimits[field] };
    return undefinedVariables(body[field], flavours[field], data, options);
  });
  return [...new Set(names)];
}

function variablesIn(body: BodyFields, budget: Budget): string[] {
  const names = bodyFields.flatMap((field) => {
    budget.useForReading(body[field]);
    return body[field] === '' ? [] : variablesOf(body[field], flavours[field]);
  });
  return [...new Set(names)].sort();
}
