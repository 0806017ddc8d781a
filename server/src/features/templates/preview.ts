import { textOfHtml } from '../../channels/email/text.ts';
import { Problem } from '../../kernel/errors.ts';
import { createBudget } from '../../kernel/liquid/budget.ts';
import { undefinedVariables } from '../../kernel/liquid/compile.ts';
import { TemplateFault } from '../../kernel/liquid/fault.ts';
import { TimeLimitExceeded, within } from '../../kernel/liquid/watchdog.ts';
import { type Body, bodyChannels, bodyFields, channelOf, chooseBody } from './bodies.ts';
import { compileBody, flavours, outputLimits, RenderFailure } from './render.ts';
import type { RenderRequest, RenderResponse } from './schema.ts';

const limitMs = 2_000;

/** What a send with this data would say. */
export function previewOf(bodies: Body[], request: RenderRequest): RenderResponse {
  const body = bodyFor(bodies, request);
  const data = request.data ?? {};
  try {
    return within(limitMs, () => {
      if (request.strict) refuseUndefined(body, data);
      const rendered = compileBody(body)(data);
      const html = rendered.html_body ?? '';
      const derived = body.channel === 'email' ? textOfHtml(html) : '';
      return {
        subject: rendered.subject ?? '',
        html_body: html,
        text_body: rendered.text_body ?? derived,
        structured: rendered.structured,
      };
    });
  } catch (error) {
    const isFault =
      error instanceof RenderFailure || error instanceof TemplateFault || error instanceof TimeLimitExceeded;
    if (isFault)
      throw new Problem('template_render_failed', `The template cannot be rendered: ${error.message}.`, {
        param: 'data',
      });
    throw error;
  }
}

function bodyFor(bodies: Body[], { channel: name, locale, data }: RenderRequest): Body {
  const channel = name ? channelOf(name) : (bodyChannels(bodies)[0] ?? 'email');
  const wanted = locale ?? (typeof data?.locale === 'string' ? data.locale : null);
  const body = channel && chooseBody(bodies, channel, wanted);
  if (!body)
    throw new Problem('template_body_missing', `The template has no body for ${channel}.`, {
      param: 'channel',
    });
  return body;
}

function refuseUndefined(body: Body, data: object): void {
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
  if (names.length === 0) return;
  const list = [...new Set(names)].join(', ');
  throw new Problem('parameter_invalid', `These variables are undefined: ${list}.`, { param: 'data' });
}
