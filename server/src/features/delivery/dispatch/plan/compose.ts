import type { DeliveryPlan } from '../../../../channels/delivery-plan.ts';
import { untilDatabaseAnswers } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import { Problem } from '../../../../kernel/errors.ts';
import { ObjectStoreError } from '../../../../kernel/object-store.ts';
import type { Claim, ConcurrencyLimits } from '../../../../queue/index.ts';
import {
  type CompiledVersion,
  type RenderedContent,
  RenderFailure,
  type TemplateRenderer,
} from '../../../content/templates/index.ts';
import type { BrakeVerdict } from '../../../control/brake/index.ts';
import type { StoredTraceEntry } from '../../../notifications/notifications/index.ts';
import { type UnsubscribeLinks, unsubscribeHeaders } from '../../../people/unsubscribe/index.ts';
import { type ConsentRow, unsubscribeUrlOf, withLinks } from '../load/consent.ts';
import type { RoundSettlement, UnsettledRound } from '../settle/round-settlement.ts';
import { failed, retryContextOf, unconfigured } from '../settle/settlement.ts';
import { waitForObjects } from '../settle/waiting.ts';
import type { DispatchRow, StoredRendering } from '../store.ts';
import type { PlannerDeps, PreparedPlans } from './channel-planners.ts';
import type { GateInput, Judgement } from './gates.ts';

interface RenderInput extends DispatchRow {
  /** The template still to be rendered; null when the content is already there. */
  template: CompiledVersion | null;
}

const isUnrendered = (row: DispatchRow): boolean =>
  row.rendered_at === null && (row.template_version_id !== null || row.inline_format === 'liquid');

/** Finds the template versions that these notifications are pinned to, with one query at most. */
export async function findTemplates(
  renderer: TemplateRenderer,
  rows: DispatchRow[],
): Promise<(row: DispatchRow) => CompiledVersion | null> {
  const ids = rows.filter(isUnrendered).flatMap((row) => row.template_version_id ?? []);
  const versions = await renderer.listVersions(ids);
  return (row) => {
    if (!isUnrendered(row) || row.template_version_id === null) return null;
    return versions.get(row.template_version_id) ?? null;
  };
}

/** Renders once per notification: the result is stored with the outcome of the round. */
export async function renderContent(
  renderer: TemplateRenderer,
  row: RenderInput,
): Promise<RenderedContent | RenderFailure | null> {
  if (!isUnrendered(row)) return null;
  if (row.template_version_id === null) return renderInline(renderer, row, false);
  const { template, channel, template_data: data, template_locale } = row;
  if (!template) return new RenderFailure('its template version no longer exists');
  const locale = typeof data.locale === 'string' ? data.locale : template_locale;
  const content = await renderer.render(template, { owner: row.environment_id, channel, locale, data });
  if (row.inline_format === null || content instanceof RenderFailure) return content;
  // The subject of the request replaces that of the template.
  if (row.inline_format === 'literal') return { ...content, subject: row.subject };
  const own = await renderInline(renderer, row, true);
  return own instanceof RenderFailure ? own : { ...content, subject: own.subject };
}

function renderInline(
  renderer: TemplateRenderer,
  { environment_id: owner, channel, template_data: data, subject, html_body, text_body }: DispatchRow,
  isPart: boolean,
): Promise<RenderedContent | RenderFailure> {
  return renderer.renderInline({ subject, html_body, text_body }, { owner, channel, data, isPart });
}

/** Rendering counts as the last gate. */
function traceRendering(
  trace: StoredTraceEntry[],
  now: number,
  content: RenderedContent | RenderFailure | null,
): StoredTraceEntry[] {
  if (!content) return trace;
  const at = new Date(now).toISOString();
  if (content instanceof RenderFailure)
    return [...trace, { at, kind: 'gate', name: 'render', verdict: 'fail', detail: content.message }];
  return trace.map((entry) =>
    entry.kind === 'passed' ? { ...entry, gates: [...entry.gates, 'render'] } : entry,
  );
}

/** A notification with everything that was loaded for its batch. */
export interface DispatchInput extends ConsentRow, GateInput, RenderInput {
  planFor: PreparedPlans;
  /** The judgement of the gates before the brake, when the brake was asked. */
  judged?: Judgement;
  /** The verdict of the brake; absent when nothing limits the notification. */
  brake?: BrakeVerdict;
}

/** The delivery plan of a notification, with the round so far; without a plan the notification has failed, or waits. */
type ComposedDelivery =
  | { plan: DeliveryPlan; round: UnsettledRound }
  | { plan: null; settled: RoundSettlement };

export interface ComposeDeps extends Pick<Deps, 'clock' | 'config' | 'tasks'>, Pick<PlannerDeps, 'objects'> {
  unsubscribeLinks: UnsubscribeLinks;
  renderer: TemplateRenderer;
  concurrency: ConcurrencyLimits;
}

/**
 * From this number of waiting tasks on, sends of an environment are parked in the database until the threads have caught up.
 */
const maxWaitingTasks = 50;

/**
 * Composes immediately, unless many tasks of the environment already wait for a thread. Then only some of its sends wait here
 * and the others are parked: leased work takes capacity in the process that the sends of other tenants need.
 */
export async function composeWithinLimit(
  deps: ComposeDeps,
  claim: Claim,
  input: DispatchInput,
  base: UnsettledRound,
  now: number,
): Promise<ComposedDelivery | 'lost'> {
  const concurrencyKey = `compose:${input.environment_id}`;
  const isCrowded =
    claim.unparkedFrom === concurrencyKey || deps.tasks.waiting(input.environment_id) >= maxWaitingTasks;
  if (!isCrowded) return compose(deps, input, base, now);
  const permit = await deps.concurrency.acquire(claim, concurrencyKey);
  if (!permit) return 'lost';
  try {
    return await compose(deps, input, base, now);
  } finally {
    permit.release(true);
  }
}

async function compose(
  deps: ComposeDeps,
  input: DispatchInput,
  base: UnsettledRound,
  now: number,
): Promise<ComposedDelivery> {
  try {
    return await composeWhole(deps, await withBodies(deps, input), base, now);
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
    return { plan: null, settled: waitForObjects(base, error.message, retryContextOf(deps)) };
  }
}

async function withBodies({ objects }: ComposeDeps, input: DispatchInput): Promise<DispatchInput> {
  if (input.body_object === null) return input;
  const [whole] = await untilDatabaseAnswers(() => objects.withBodies([input]));
  return whole ?? input;
}

/** Large rendered bodies go to the object store, or to the database while that is unavailable: the send does not wait. */
async function storedRendering(
  { objects }: ComposeDeps,
  input: DispatchInput,
  content: RenderedContent,
): Promise<StoredRendering> {
  if (!objects.takesBodies(content)) return content;
  try {
    const { bodyId } = await untilDatabaseAnswers(() =>
      objects.upload(input.environment_id, input.id, { attachments: [], bodies: content }),
    );
    return { ...content, html_body: null, text_body: null, body_object: bodyId };
  } catch (error) {
    if (error instanceof ObjectStoreError || error instanceof Problem) return content;
    throw error;
  }
}

async function composeWhole(
  deps: ComposeDeps,
  input: DispatchInput,
  base: UnsettledRound,
  now: number,
): Promise<ComposedDelivery> {
  const { unsubscribeLinks: links, renderer } = deps;
  const unsubscribeUrl = unsubscribeUrlOf(links, input);
  const content = await renderContent(renderer, withLinks(links, input, input, unsubscribeUrl));
  const traced = { ...base, trace: traceRendering(base.trace, now, content) };
  if (content instanceof RenderFailure)
    return { plan: null, settled: failed(traced, now, `template_render_failed: ${content.message}`) };
  const { objects: _over, ...note } = traced.note;
  const composed = { ...traced, note, rendered: content && (await storedRendering(deps, input, content)) };

  const headers = unsubscribeUrl === null ? {} : unsubscribeHeaders(unsubscribeUrl);
  const inputWithContent = content ? { ...input, ...content } : input;
  const plan = await untilDatabaseAnswers(async () => input.planFor(inputWithContent, headers));
  if (!('problem' in plan)) return { plan, round: composed };
  const reason = `${plan.reason}: ${plan.problem}`;
  const settled =
    plan.reason === 'provider_not_configured'
      ? unconfigured(composed, reason, retryContextOf(deps))
      : failed(composed, now, reason);
  return { plan: null, settled };
}
