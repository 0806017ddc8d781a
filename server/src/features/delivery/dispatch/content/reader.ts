import type { Channel } from '../../../../channels/contract.ts';
import type { MessagePreview } from '../../../../channels/spec.ts';
import { channelSpecs } from '../../../../channels/specs.ts';
import { templateRules } from '../../../../channels/template-rules.ts';
import { notFound, Problem } from '../../../../kernel/errors.ts';
import { createTemplateRenderer, RenderFailure } from '../../../content/templates/index.ts';
import { findMessageOf } from '../../../notifications/sandbox/index.ts';
import { type UnsubscribeLinks, unsubscribeHeaders } from '../../../people/unsubscribe/index.ts';
import { orUnavailable } from '../../../platform/objects/index.ts';
import { addConsent, unsubscribeUrlOf, withLinks } from '../load/consent.ts';
import { channelPlanners, type PlannerDeps, preparePlans } from '../plan/channel-planners.ts';
import { findTemplates, renderContent } from '../plan/compose.ts';
import { type DispatchRow, listDispatchRows } from '../store.ts';
import type { Content } from './schema.ts';

export interface ContentReader {
  get(environmentId: string, id: string): Promise<Content>;
}

type Shown = Omit<
  Content,
  'notification_id' | 'channel' | 'rendered' | 'error' | 'source' | 'sandbox_message_id' | 'to'
>;

/** People view one notification at a time, so this cache is smaller than the one for sending. */
const keptCharacters = 1_000_000;

/**
 * Follows the delivery plan of a notification up to the handover to a carrier, and returns the message instead of sending it.
 */
export function createContentReader(
  deps: PlannerDeps & { unsubscribeLinks: UnsubscribeLinks },
): ContentReader {
  const { pool, unsubscribeLinks: links } = deps;
  const renderer = createTemplateRenderer(pool, deps.tasks, keptCharacters);
  // Viewing an email here must not count as an open or a click by the recipient.
  const plannerOf = channelPlanners(deps, { tracks: false });

  async function find(environmentId: string, id: string): Promise<DispatchRow> {
    const [row] = await listDispatchRows(pool, [id]);
    if (row?.environment_id !== environmentId) throw notFound('notification');
    if (row.address === null)
      throw new Problem('resource_not_found', 'The content of this notification has been erased.');
    const [whole = row] = await orUnavailable(deps.objects.withBodies([row]));
    return { ...whole, attachments: null }; // the bytes are megabytes, and are not shown
  }

  return {
    async get(environmentId, id) {
      const row = await find(environmentId, id);
      const [[known = null], templateOf, planFor, kept] = await Promise.all([
        addConsent(pool, links, [row]),
        findTemplates(renderer, [row]),
        preparePlans(plannerOf, [row]),
        findMessageOf(pool, environmentId, id),
      ]);
      const base = {
        notification_id: id,
        channel: row.channel,
        source: kept ? ('sandbox' as const) : ('rendered' as const),
        sandbox_message_id: kept?.id ?? null,
        to: { address: row.address ?? '', name: row.recipient_name },
      };
      const unsubscribeUrl = known && unsubscribeUrlOf(links, known);
      const content = await renderContent(renderer, {
        ...withLinks(links, row, known, unsubscribeUrl),
        template: templateOf(row),
      });
      if (content instanceof RenderFailure)
        return { ...base, rendered: false, error: content.message, ...nothing };

      const withContent = { ...row, ...content };
      const plan = await planFor(
        withContent,
        unsubscribeUrl === null ? {} : unsubscribeHeaders(unsubscribeUrl),
      );
      if ('problem' in plan)
        return {
          ...base,
          rendered: true,
          error: `${plan.reason}: ${plan.problem}`,
          ...contentOf(withContent),
        };
      const spec = channelSpecs[row.channel];
      const preview = {
        ...spec.preview(plan.message(1, plan.carriers[0])),
        ...(kept && spec.sandbox.previewOf?.(kept.payload)),
      };
      return { ...base, rendered: true, error: null, ...shownOf(row.channel, preview) };
    },
  };
}

const nothing: Shown = {
  from: null,
  reply_to: null,
  headers: null,
  subject: null,
  html: null,
  text: null,
  structured: null,
  sms: null,
};

/** The content to show for a notification without a delivery plan. */
function contentOf({ channel, subject, html_body: html, text_body: text, structured }: DispatchRow): Shown {
  return shownOf(channel, { subject, html, text, structured });
}

function shownOf(channel: Channel, preview: MessagePreview): Shown {
  const segmentation = templateRules[channel].segmentation?.(preview.text ?? '');
  return {
    ...nothing,
    ...preview,
    sms: segmentation
      ? { encoding: segmentation.encoding, segments: segmentation.segments, length: segmentation.units }
      : null,
  };
}
