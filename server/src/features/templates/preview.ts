import { textTask } from '../../channels/email/text.ts';
import { segmentationOf } from '../../channels/sms/segments.ts';
import { invalidParameter, Problem } from '../../kernel/errors.ts';
import { createBudget } from '../../kernel/liquid/budget.ts';
import { undefinedVariables, variablesOf } from '../../kernel/liquid/compile.ts';
import { TemplateFault } from '../../kernel/liquid/fault.ts';
import { TimeLimitExceeded, within } from '../../kernel/liquid/watchdog.ts';
import { type TaskRunner, TaskStopped } from '../../kernel/threads/task.ts';
import { withVendor } from '../../kernel/vendors.ts';
import { type Body, bodyChannels, bodyFields, channelOf, chooseBody, newBody } from './bodies.ts';
import { checkFields } from './check.ts';
import { checkLocale } from './input.ts';
import { aloneLimitMs, compileBody, flavours, outputLimits, RenderFailure } from './render.ts';
import type { PreviewRequest, PreviewResponse, RenderRequest, RenderResponse } from './schema.ts';

/** A preview whose text part may still be missing: an email without one gets what its HTML says. */
type Previewed<Response extends RenderResponse> = Omit<Response, 'text_body'> & { text_body: string | null };

export async function withDerivedText<Response extends RenderResponse>(
  tasks: TaskRunner,
  owner: string,
  previewed: Previewed<Response>,
): Promise<Response> {
  const { text_body: text, html_body: html } = previewed;
  const derived = text ?? (await tasks.run(textTask, owner, html).catch(explain));
  return { ...previewed, text_body: derived } as Response;
}

/** What a send with this data would say. */
export function previewOf(bodies: Body[], request: RenderRequest): Previewed<RenderResponse> {
  const body = bodyFor(bodies, request);
  return explained(() => rendered(body, request, false));
}

function rendered(
  body: Body,
  { data, strict }: Pick<RenderRequest, 'data' | 'strict'>,
  isDraft: boolean,
): Previewed<RenderResponse> {
  if (strict) refuseUndefined(body, data ?? {});
  const words = compileBody(body)(data ?? {}, isDraft);
  const html = words.html_body ?? '';
  return {
    subject: words.subject ?? '',
    html_body: html,
    text_body: words.text_body ?? (body.channel === 'email' ? null : ''),
    structured: words.structured,
  };
}

/** A body as it is being written: nothing is stored, and what it lacks is said instead of refused. */
export function previewDraft(request: PreviewRequest): Previewed<PreviewResponse> {
  const channel = channelOf(request.channel);
  if (!channel) throw invalidParameter('channel', 'There is no such channel.');
  const locale = request.locale ? checkLocale(request.locale, 'locale') : null;
  const body = newBody(channel, locale, request);
  checkFields(body, (field) => field);
  return explained(() => {
    const words = rendered(body, request, true);
    return {
      ...words,
      undefined_variables: undefinedIn(body, request.data ?? {}),
      variables: variablesIn(body),
      sms: channel === 'sms' ? segmentationOf(words.text_body ?? '') : null,
    };
  });
}

/** In the time that a rendering may take; its faults become answers. */
function explained<Result>(work: () => Result): Result {
  try {
    return within(aloneLimitMs, work);
  } catch (error) {
    return explain(error);
  }
}

const faults = [RenderFailure, TemplateFault, TimeLimitExceeded, TaskStopped];

function explain(error: unknown): never {
  if (!faults.some((fault) => error instanceof fault)) throw error;
  const { message } = error as Error;
  throw new Problem('template_render_failed', `The template cannot be rendered: ${message}.`, {
    param: 'data',
  });
}

function bodyFor(bodies: Body[], { channel: name, locale, data }: RenderRequest): Body {
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

function refuseUndefined(body: Body, data: object): void {
  const names = undefinedIn(body, data);
  if (names.length === 0) return;
  throw new Problem('parameter_invalid', `These variables are undefined: ${names.join(', ')}.`, {
    param: 'data',
  });
}

function undefinedIn(body: Body, data: object): string[] {
  const budget = createBudget();
  const names = bodyFields.flatMap((field) =>
    body[field] === ''
      ? []
      : undefinedVariables(body[field], flavours[field], data, {
          locale: body.locale,
          budget,
          limit: outputLimits[field],
        }),
  );
  return [...new Set(names)];
}

function variablesIn(body: Body): string[] {
  const names = bodyFields.flatMap((field) =>
    body[field] === '' ? [] : variablesOf(body[field], flavours[field]),
  );
  return [...new Set(names)].sort();
}
