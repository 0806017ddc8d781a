import { textTask } from '../../../channels/email/text.ts';
import { type BodyField, bodyFields } from '../../../channels/template-rule.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import { Problem } from '../../../kernel/errors.ts';
import { withVendor } from '../../../kernel/vendors.ts';
import { type Budget, createBudget } from '../../../templating/budget.ts';
import { undefinedVariables, variablesOf } from '../../../templating/compile.ts';
import { TemplateFault } from '../../../templating/fault.ts';
import { useForReadingAll } from '../../../templating/partials.ts';
import { TimeLimitExceeded, withinEffort } from '../../../templating/watchdog.ts';
import type { Effort } from '../../../threads/effort.ts';
import { type TaskRunner, TaskStopped } from '../../../threads/task.ts';
import { type BodyFields, bodyChannels, channelOf, chooseBody, htmlOf } from './bodies.ts';
import { checkFields, type ParamOf } from './check.ts';
import { type BodyContext, compileBody, flavours, outputLimits, RenderFailure } from './render.ts';
import type { PreviewResponse, RenderRequest, RenderResponse } from './schema.ts';

/** A preview whose text part may still be missing: for an email without one, the text is derived from the HTML. */
type TemplatePreview<Response extends RenderResponse> = Omit<Response, 'text_body'> & {
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

interface PreviewInput {
  body: BodyFields;
  context: BodyContext;
  data?: object | null | undefined;
  strict?: boolean | null | undefined;
}

/** Renders what a send with this data would contain. */
export function previewOf(input: PreviewInput, effort: Effort): TemplatePreview<RenderResponse> {
  const nextBudget = budgetsFor(effort);
  return explained(effort, () => {
    const { missing: _missing, ...content } = rendered(input, false, nextBudget);
    return { ...content, undefined_variables: undefinedIn(input, input.data ?? {}, nextBudget()) };
  });
}

/** In a thread, each part of a preview has the budget of a rendering; in the main thread all parts share one. */
function budgetsFor(effort: Effort): () => Budget {
  if (effort === 'full') return createBudget;
  const shared = createBudget(effort);
  return () => shared;
}

function rendered(
  { body, context, data, strict }: PreviewInput,
  isDraft: boolean,
  nextBudget: () => Budget,
): Omit<TemplatePreview<RenderResponse>, 'undefined_variables'> & { missing: string[] } {
  if (strict) refuseUndefined({ body, context }, data ?? {}, nextBudget());
  const missing = new Set<string>();
  const translation = { ...context.translation, missing };
  const content = compileBody(body, context)(data ?? {}, nextBudget(), { translation, isDraft });
  if (strict && missing.size > 0)
    throw new Problem('parameter_invalid', `These translations are missing: ${[...missing].join(', ')}.`, {
      param: 'locale',
    });
  const html = content.html_body ?? '';
  return {
    subject: content.subject ?? '',
    html_body: html,
    text_body: content.text_body ?? (templateRules[body.channel].derivesText ? null : ''),
    structured: content.structured,
    missing: [...missing].sort(),
  };
}

/** Previews an unsaved body: nothing is stored, and missing fields are reported instead of refused. */
export function previewDraft(input: PreviewInput, effort: Effort): TemplatePreview<PreviewResponse> {
  const { body, context, data } = input;
  const nextBudget = budgetsFor(effort);
  checkFields(body, nameOf(context), nextBudget(), context.partials);
  return explained(effort, () => {
    const { missing, ...content } = rendered(input, true, nextBudget);
    return {
      ...content,
      undefined_variables: undefinedIn({ body, context }, data ?? {}, nextBudget()),
      variables: variablesIn({ body, context }, nextBudget()),
      missing_translations: missing,
      sms: templateRules[body.channel].segmentation?.(content.text_body ?? '') ?? null,
    };
  });
}

const nameOf =
  ({ names }: BodyContext): ParamOf =>
  (field) =>
    field === 'layout' ? field : (names?.[field] ?? field);

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

type Surrounded = Pick<PreviewInput, 'body' | 'context'>;

function refuseUndefined(surrounded: Surrounded, data: object, budget: Budget): void {
  const names = undefinedIn(surrounded, data, budget);
  if (names.length === 0) return;
  throw new Problem('parameter_invalid', `These variables are undefined: ${names.join(', ')}.`, {
    param: 'data',
  });
}

/** Every source that is rendered, with the field whose rules it follows. */
function sourcesOf({
  body,
  context: { layout },
}: Surrounded): { field: BodyField; source: string; isLayout: boolean }[] {
  const own = bodyFields.map((field) => ({
    field,
    source: field === 'html_template' ? htmlOf(body) : body[field],
    isLayout: false,
  }));
  const around = [
    { field: 'html_template' as const, source: body.html_template && (layout?.html ?? ''), isLayout: true },
    { field: 'text_template' as const, source: body.text_template && (layout?.text ?? ''), isLayout: true },
  ];
  return [...own, ...around].filter(({ source }) => source !== '');
}

function undefinedIn(surrounded: Surrounded, data: object, budget: Budget): string[] {
  const { body, context } = surrounded;
  const { partials, translation } = context;
  const names = sourcesOf(surrounded).flatMap(({ field, source, isLayout }) => {
    useForReadingAll(budget, source, partials);
    const options = { locale: body.locale, budget, limit: outputLimits[field], partials, translation };
    return undefinedVariables(source, flavours[field], isLayout ? { ...data, content: '' } : data, options);
  });
  return [...new Set(names)];
}

function variablesIn(surrounded: Surrounded, budget: Budget): string[] {
  const { partials } = surrounded.context;
  const names = sourcesOf(surrounded).flatMap(({ field, source, isLayout }) => {
    useForReadingAll(budget, source, partials);
    const variables = variablesOf(source, flavours[field], partials);
    return isLayout ? variables.filter((name) => name !== 'content') : variables;
  });
  return [...new Set(names)].sort();
}
