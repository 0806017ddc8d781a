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
import { findTemplates, renderContent } from '../load/render.ts';
import { channelPlanners, type PlannerDeps, preparePlans } from '../plan/channel-planners.ts';
import { type DispatchFact, listFacts } from '../store.ts';
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

  async function find(environmentId: string, id: string): Promise<DispatchFact> {
    const [fact] = await listFacts(pool, [id]);
    if (fact?.environment_id !== environmentId) throw notFound('notification');
    if (fact.address === null)
      throw new Problem('resource_not_found', 'The content of this notification has been erased.');
    const [whole = fact] = await orUnavailable(deps.objects.withBodies([fact]));
    return { ...whole, attachments: null }; // the bytes are megabytes, and are not shown
  }

  return {
    async get(environmentId, id) {
      const fact = await find(environmentId, id);
      const [[known = null], templateOf, planFor, kept] = await Promise.all([
        addConsent(pool, links, [fact]),
        findTemplates(renderer, [fact]),
        preparePlans(plannerOf, [fact]),
        findMessageOf(pool, environmentId, id),
      ]);
      const base = {
        notification_id: id,
        channel: fact.channel,
        source: kept ? ('sandbox' as const) : ('rendered' as const),
        sandbox_message_id: kept?.id ?? null,
        to: { address: fact.address ?? '', name: fact.recipient_name },
      };
      const unsubscribeUrl = known && unsubscribeUrlOf(links, known);
      const content = await renderContent(renderer, {
        ...withLinks(links, fact, known, unsubscribeUrl),
        template: templateOf(fact),
      });
      if (content instanceof RenderFailure)
        return { ...base, rendered: false, error: content.message, ...nothing };

      const withContent = { ...fact, ...content };
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
      const spec = channelSpecs[fact.channel];
      const preview = {
        ...spec.preview(plan.message(1, plan.carriers[0])),
        ...(kept && spec.sandbox.previewOf?.(kept.payload)),
      };
      return { ...base, rendered: true, error: null, ...shownOf(fact.channel, preview) };
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
function contentOf({ channel, subject, html_body: html, text_body: text, structured }: DispatchFact): Shown {
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
