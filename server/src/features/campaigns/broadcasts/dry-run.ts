import { extrasOf } from '../../../channels/in-app/extras.ts';
import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { Problem } from '../../../kernel/errors.ts';
import { isoTime } from '../../../kernel/time-zone.ts';
import type { TemplateService } from '../../content/templates/index.ts';
import type { Brake, BrakeRequest } from '../../control/brake/index.ts';
import { judge, withBrake } from '../../delivery/dispatch/index.ts';
import {
  countAudience,
  firstMember,
  isEverybody,
  listMembers,
  sampleMembers,
} from '../../people/audiences/index.ts';
import { localSendTime } from './definition.ts';
import { type BroadcastRecipient, chooseRecipients, findConsent, userDataOf } from './recipients.ts';
import type { BroadcastDryRun } from './schema.ts';
import type { NewBroadcast } from './store.ts';

/** Of a larger audience, an even sample of this size is judged: the figures are within a percent of it. */
const maxJudged = 10_000;
/** As many as a slice of the fan-out. */
const judgedTogether = 1_000;
const sampleCount = 5;
const countWithinMs = 5_000;
/** Few matches among millions of users take long to find. */
const judgeWithinMs = 10_000;

type DryRunDeps = Pick<Deps, 'pool' | 'clock'> & {
  templates: Pick<TemplateService, 'render' | 'previewInline'>;
  brake: Pick<Brake, 'load' | 'forecast'>;
};

/** What every step of a dry run uses. */
interface DryRun extends DryRunDeps {
  principal: Principal;
  broadcast: NewBroadcast;
  now: number;
}

/** Applies the gates of a send to an audience, and renders a few of the messages. Nothing is stored or counted. */
export async function dryRun(
  deps: DryRunDeps,
  principal: Principal,
  broadcast: NewBroadcast,
  now: number,
): Promise<BroadcastDryRun> {
  const { pool, clock, brake } = deps;
  const { environment_id: environmentId, filter } = broadcast;
  const startedAt = clock();
  const [{ count, isCapped }, everybody] = await Promise.all([
    countAudience(pool, environmentId, filter, () => clock() > startedAt + countWithinMs),
    isEverybody(pool, environmentId, filter),
    brake.load(new Map([[environmentId, principal.environmentKind]])),
  ]);
  /** A sample of a large audience is judged: every n-th user. */
  const every = Math.ceil(Math.max(count, 1) / maxJudged);
  const forecast = brake.forecast(every);
  const tally = {
    ...{ checked: 0, would_send: 0, skipped: 0 },
    ...{ channels: {}, suppressed: {}, delayed: {}, held: {} },
  };
  const samples: BroadcastRecipient[] = [];
  const run: DryRun = { ...deps, principal, broadcast, now };
  for await (const members of membersToJudge(run, every, startedAt + countWithinMs + judgeWithinMs)) {
    const recipients = await chooseRecipients(pool, broadcast, members, now);
    tally.checked += members.length;
    tally.skipped += members.length - recipients.length;
    for (const { recipient, verdict, trace } of await judgeAll(run, forecast, recipients)) {
      add(tally.channels, recipient.channel);
      if (verdict.kind === 'suppress') add(tally.suppressed, verdict.reason);
      else if (verdict.kind === 'hold' && !verdict.note.delayed) add(tally.held, verdict.note.hold);
      else tally.would_send += 1;
      if (verdict.kind === 'defer' || (verdict.kind === 'hold' && verdict.note.delayed))
        add(tally.delayed, gateOf(trace));
      if (verdict.kind !== 'suppress' && samples.length < sampleCount) samples.push(recipient);
    }
  }

  return {
    count,
    is_capped: isCapped,
    is_everybody: everybody,
    ...tally,
    samples: await Promise.all(samples.map((recipient) => sampleOf(run, recipient))),
  };
}

/** As dispatch does: the brake is asked about what every other gate lets pass. */
async function judgeAll(
  run: DryRun,
  forecast: ReturnType<Brake['forecast']>,
  recipients: BroadcastRecipient[],
) {
  const { pool, now } = run;
  const consentOf = await findConsent(pool, recipients);
  const judged = recipients.map((recipient) => {
    const { channel, category } = recipient;
    // The input of every gate is built here: a new gate does not compile before its input is.
    const known = { status: 'queued', send_at: null, broadcast: null, channel, category } as const;
    const sendAt = sendTime(run, recipient) ?? now;
    return { recipient, sendAt, others: judge({ ...known, ...consentOf(recipient) }, sendAt) };
  });
  const passing = judged.filter(({ others }) => others.verdict.kind === 'pass');
  const braked = await forecast(passing.map(({ recipient, sendAt }) => brakeRequest(run, recipient, sendAt)));
  return judged.map(({ recipient, others }) => ({
    recipient,
    ...withBrake(others, braked.get(recipient.id)),
  }));
}

function brakeRequest(
  { principal, broadcast }: DryRun,
  { member: _, ...recipient }: BroadcastRecipient,
  at: number,
): BrakeRequest {
  const { template_key, source_id, contents } = broadcast;
  const {
    text_body = null,
    template_version_id = null,
    inline_format = null,
  } = contents[recipient.channel] ?? {};
  const input = {
    ...recipient,
    environment_kind: principal.environmentKind,
    priority: 'bulk',
    template_key,
    source_id,
    chain: null,
    attachments: null,
    text_body,
    template_version_id,
    inline_format,
  };
  return { input, at, hold: null, decision: null, isCounted: false };
}

async function* membersToJudge({ pool, clock, broadcast }: DryRun, every: number, untilMs: number) {
  const { environment_id: environmentId, filter } = broadcast;
  if (every > 1) {
    const sample = await sampleMembers(pool, environmentId, filter, { every, limit: 2 * maxJudged });
    for (let from = 0; from < sample.length; from += judgedTogether)
      yield sample.slice(from, from + judgedTogether);
    return;
  }
  let after: string | null = firstMember;
  while (after !== null && clock() < untilMs) {
    const slice: Awaited<ReturnType<typeof listMembers>> = await listMembers(pool, environmentId, filter, {
      after,
      limit: judgedTogether,
    });
    yield slice.result;
    after = slice.next;
  }
}

function sendTime({ broadcast, now }: DryRun, { member }: BroadcastRecipient): number | null {
  const { send_at_local: local, timezone, starts_at } = broadcast;
  if (!local) return starts_at?.getTime() ?? null;
  const moment = localSendTime(local, member.timezone, timezone);
  return moment > now ? moment : null;
}

async function sampleOf(
  run: DryRun,
  recipient: BroadcastRecipient,
): Promise<BroadcastDryRun['samples'][number]> {
  const { external_user_id, channel, address } = recipient;
  const sendAt = sendTime(run, recipient);
  const sample = { external_user_id, channel, address, send_at: sendAt === null ? null : isoTime(sendAt) };
  return { ...sample, ...(await render(run, recipient)) };
}

async function render(
  { templates, principal, broadcast }: DryRun,
  { channel, member, ...recipient }: BroadcastRecipient,
) {
  const { template_key: key, template_data } = broadcast;
  const content = broadcast.contents[channel];
  const given = content?.inbox_extras;
  const sources = {
    subject: content?.subject ?? null,
    html_body: content?.html_body ?? null,
    text_body: content?.text_body ?? null,
  };
  const data = { user: userDataOf({ channel, member, ...recipient }), ...template_data };
  const locale = typeof template_data.locale === 'string' ? template_data.locale : member.locale;
  try {
    const own =
      content?.inline_format === 'liquid'
        ? await templates.previewInline(broadcast.environment_id, channel, sources, data)
        : { ...sources, undefined_variables: [] };
    if (!key) return { ...own, undefined_variables: unresolved(broadcast, own), error: null, ...given };
    const rendered = await templates.render(principal, key, { channel, locale, data });
    const { subject, html_body, text_body, structured } = rendered;
    const extras = channel === 'in_app' && structured ? extrasOf(structured) : null;
    return {
      ...{ subject: own.subject ?? subject, html_body, text_body },
      undefined_variables: unresolved(broadcast, own, rendered),
      error: null,
      ...extras,
      ...given,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const nothing = { subject: null, html_body: null, text_body: null, undefined_variables: [] };
    return { ...nothing, error: error.message };
  }
}

/** Email with a category has two links that a dry run does not make. */
function unresolved({ category }: NewBroadcast, ...parts: { undefined_variables: string[] }[]): string[] {
  const names = new Set(parts.flatMap((part) => part.undefined_variables));
  if (category !== null) for (const name of linkVariables) names.delete(name);
  return [...names];
}

const linkVariables = ['unsubscribe_url', 'preferences_url'];

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function gateOf(trace: ReturnType<typeof judge>['trace']): string {
  const last = trace.at(-1);
  return last?.kind === 'gate' ? last.name : 'unknown';
}
