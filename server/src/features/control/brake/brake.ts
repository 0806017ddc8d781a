import type { Channel } from '../../../channels/contract.ts';
import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { idTime } from '../../../kernel/ids.ts';
import { billedUnits, findPrice } from '../spend/index.ts';
import {
  type Demand,
  giveBack,
  listCounts,
  listUncounted,
  type Refund,
  takeCounts,
  type WindowTotal,
} from './counts-store.ts';
import type { Engagements } from './engagements.ts';
import { freezeHold, type HoldDecision, type HoldNote } from './hold.ts';
import { type ActiveRule, type BrakedNotification, limitText, subjectsOf, windows } from './rules.ts';
import type { BrakeStates } from './state.ts';
import type { FreezeRow } from './store.ts';

export type BrakeVerdict =
  | { kind: 'pass' }
  | { kind: 'suppress'; reason: string; detail: string }
  | HoldVerdict;

/** Not sent before the hold is released, or the window opens. `isRepeated`: the trace already says so. */
export interface HoldVerdict {
  kind: 'hold';
  note: HoldNote;
  until: number;
  detail: string;
  isRepeated: boolean;
}

/** A notification with the content that is known before it is rendered. */
interface BrakeInput extends BrakedNotification {
  attachments: unknown;
  template_version_id: string | null;
  /** `liquid` when the content of the request is still to be rendered. */
  inline_format?: string | null;
  text_body: string | null;
}

/** A notification that every other gate lets pass. */
export interface BrakeRequest {
  input: BrakeInput;
  /** When the work was claimed, by the clock of the database. */
  at: number;
  hold: HoldNote | null;
  decision: HoldDecision | null;
  /** The limits have counted the notification in an earlier round. */
  isCounted: boolean;
}

/** The gate of limits and freezes. Its state is shared by all processes through the database. */
export interface Brake extends Pick<BrakeStates, 'listen' | 'load'> {
  /**
   * Judges a batch with one statement, or none when nothing limits its environments. A notification that no rule concerns has no
   * verdict. A counted notification is marked with `braked` on its lease when counting it again, after its worker died, could hold it.
   */
  judge(requests: BrakeRequest[]): Promise<Map<string, BrakeVerdict>>;
  /**
   * Judges sends that are not made, batch after batch, as if they were made together: the counts are read, and only the forecast
   * remembers its own sends. Of a sample, each request stands for `weight` notifications.
   */
  forecast(weight: number): (requests: BrakeRequest[]) => Promise<Map<string, BrakeVerdict>>;
  /** Adds to budgets what a rendered text costs beyond the one segment that was counted before. */
  charge(sends: { input: BrakeInput; text: string | null }[]): Promise<void>;
  /** The verdict of a freeze that began after the batch was judged; null when there is none. */
  judgeFreeze(request: BrakeRequest): HoldVerdict | null;
  /** What of the channel is frozen, in words, for what is skipped and not held; null when nothing is. */
  describeFreeze(environmentId: string, channel: Channel): string | null;
}

/** A notification and the rules that count it. */
interface Candidate {
  request: BrakeRequest;
  counts: { rule: ActiveRule; subject: string; amount: number }[];
}

const hourMs = 3_600_000;
/** Attachments are deleted seven days after acceptance: a hold must end before. */
const attachmentHours = 7 * 24 - 1;

const pass: BrakeVerdict = { kind: 'pass' };

interface BrakeDeps extends Pick<Deps, 'pool' | 'claimPool' | 'log'> {
  queue: Pick<Deps['queue'], 'workerId'>;
  states: BrakeStates;
  engagements: Engagements;
}

export function createBrake(deps: BrakeDeps): Brake {
  const { states } = deps;
  return {
    charge: (sends) => charge(deps, sends),
    listen: states.listen,
    load: states.load,
    judgeFreeze: (request) => judgeFreeze(states, request),
    describeFreeze(environmentId, channel) {
      const freeze = findFreeze(states, environmentId, channel);
      return freeze ? `${frozenText(freeze)}.` : null;
    },
    judge: (requests) => judge(deps, requests),
    forecast: (weight) => forecast(deps, weight),
  };
}

function priceOf(states: BrakeStates, input: BrakedNotification): number {
  return findPrice(states.get(input.environment_id)?.prices ?? [], input, null)?.price_micros ?? 0;
}

const findFreeze = (states: BrakeStates, environmentId: string, on: Channel): FreezeRow | undefined =>
  states.get(environmentId)?.freezes.find(({ channel }) => channel === 'all' || channel === on);

function judgeFreeze(states: BrakeStates, request: BrakeRequest): HoldVerdict | null {
  const { input } = request;
  const freeze =
    input.priority === 'critical' ? null : findFreeze(states, input.environment_id, input.channel);
  if (!freeze) return null;
  const hold = freezeHold(freeze.channel);
  const isRepeated = request.hold?.hold === hold && request.decision === null;
  const note = isRepeated && request.hold ? request.hold : holdOf(request, hold, freeze.hold_expires_hours);
  const why = freeze.reason === null ? '' : ` (${freeze.reason})`;
  const detail = `${frozenText(freeze)} since ${freeze.frozen_at.toISOString()}${why}: held until it is unfrozen, at most until ${new Date(note.expires).toISOString()}.`;
  return { kind: 'hold', note, until: note.expires, detail, isRepeated };
}

/** During a spike, when the rule says so, everything is held that a person has not released. */
function judgeSpike(states: BrakeStates, request: BrakeRequest): BrakeVerdict | null {
  const { input } = request;
  const state = states.get(input.environment_id);
  const rule =
    state?.isSpiking && state.rules.find(({ scope, action }) => scope === 'spike' && action === 'hold');
  if (!rule || request.isCounted || !stops(rule, request)) return null;
  if (input.priority === 'critical' && !rule.includes_critical) return null;
  const note = holdOf(request, rule.key, rule.hold_expires_hours);
  const detail = `Much more than usual at this hour is being sent (rule ${rule.key}): held until it is released, at most until ${new Date(note.expires).toISOString()}.`;
  return { kind: 'hold', note, until: note.expires, detail, isRepeated: false };
}

/** A verdict that needs no count; null when the counts decide. */
function judgeState(states: BrakeStates, request: BrakeRequest): BrakeVerdict | null {
  const { hold, decision } = request;
  const stopped = judgeFreeze(states, request) ?? judgeSpike(states, request);
  if (stopped) return stopped;
  // Held by a rule, and claimed early for another reason, such as a change of the notification.
  const isHeld = hold !== null && decision === null && !hold.delayed && !hold.hold.startsWith('freeze:');
  return isHeld ? { kind: 'hold', note: hold, until: hold.expires, detail: '', isRepeated: true } : null;
}

function candidateOf(states: BrakeStates, request: BrakeRequest, weight: number): Candidate {
  const { input } = request;
  if (request.isCounted) return { request, counts: [] };
  const counts = countsOf(states, input, (rule) => {
    const amount = rule.unit === 'money' ? priceOf(states, input) * unitsBefore(input) : 1;
    return rule.scope === 'recipient' ? amount : amount * weight;
  });
  return { request, counts };
}

function countsOf(
  states: BrakeStates,
  input: BrakeInput,
  amountOf: (rule: ActiveRule) => number,
): Candidate['counts'] {
  const counts: Candidate['counts'] = [];
  for (const rule of states.get(input.environment_id)?.rules ?? []) {
    const subjects = subjectsOf(rule, input);
    const amount = subjects.length === 0 ? 0 : amountOf(rule);
    if (amount !== 0) for (const subject of subjects) counts.push({ rule, subject, amount });
  }
  return counts;
}

/** The verdicts that need no count, and the notifications that the counts decide about. */
function judgeStates(states: BrakeStates, requests: BrakeRequest[], weight = 1) {
  const verdicts = new Map<string, BrakeVerdict>();
  const candidates: Candidate[] = [];
  for (const request of requests) {
    const verdict = judgeState(states, request);
    const candidate = verdict ? null : candidateOf(states, request, weight);
    if (verdict) verdicts.set(request.input.id, verdict);
    else if (candidate && candidate.counts.length > 0) candidates.push(candidate);
  }
  return { verdicts, candidates };
}

/**
 * Counts a batch. `candidates` are those that the totals decide about: the answer to an earlier try may be lost, and what it marked
 * is counted.
 */
async function count(
  { claimPool, queue: { workerId } }: BrakeDeps,
  all: Candidate[],
): Promise<{ candidates: Candidate[]; counted: Counted }> {
  let candidates = all;
  let isRepeated = false;
  const totals = await untilDatabaseAnswers(async () => {
    if (isRepeated) {
      const left = await listUncounted(claimPool, { workerId, ids: candidates.map(idOf) });
      candidates = candidates.filter((candidate) => left.has(idOf(candidate)));
    }
    isRepeated = true;
    const demands = demandsOf(candidates);
    return takeCounts(claimPool, [...demands.values()], { workerId, ids: candidates.map(idOf) });
  });
  const counted = new Map(
    totals.map(({ demand, window }) => [
      demand.subject,
      { demand, window, used: window.total - demand.amount },
    ]),
  );
  return { candidates, counted };
}

async function charge(
  { claimPool, queue, log, states }: BrakeDeps,
  sends: { input: BrakeInput; text: string | null }[],
): Promise<void> {
  const candidates = sends.flatMap(({ input, text }) => {
    const hasBudget = states.get(input.environment_id)?.rules.some(({ unit }) => unit === 'money');
    const units = hasBudget ? billedUnits(input.channel, text) - unitsBefore(input) : 0;
    if (units <= 0) return [];
    const counts = countsOf(states, input, ({ unit }) =>
      unit === 'money' ? priceOf(states, input) * units : 0,
    );
    return [{ request: { input, at: 0 }, counts }];
  });
  const demands = demandsOf(candidates);
  if (demands.size === 0) return;
  await takeCounts(claimPool, [...demands.values()], { workerId: queue.workerId, ids: [] }).catch((error) =>
    log.debug({ err: error }, 'failed to add the segments of text messages to budgets'),
  );
}

async function judge(deps: BrakeDeps, requests: BrakeRequest[]): Promise<Map<string, BrakeVerdict>> {
  const { claimPool, queue, states, engagements } = deps;
  const { verdicts, candidates: all } = judgeStates(states, requests);
  if (all.length === 0) return verdicts;

  // The oldest first: ids are ordered by time.
  all.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  for (const candidate of all) verdicts.set(idOf(candidate), pass);
  const { candidates, counted } = await count(deps, all);
  if (counted.size === 0) return verdicts;

  const unmarked: string[] = [];
  for (const candidate of candidates) {
    const { input } = candidate.request;
    const verdict = judgeCounts(candidate, counted, (rule) => engagements.engage(input, rule));
    verdicts.set(input.id, verdict);
    if (verdict === pass) unmarked.push(input.id);
  }
  // A refund is tried once, because its answer may be lost: counts may be too high, but never too low.
  let refunds = [...counted.values()].flatMap(refundOf);
  await untilDatabaseAnswers(() => {
    const given = refunds;
    refunds = [];
    return giveBack(claimPool, given, { workerId: queue.workerId, ids: unmarked });
  });
  return verdicts;
}

function forecast({ pool, states }: BrakeDeps, weight: number): ReturnType<Brake['forecast']> {
  const known = new Map<string, WindowCount>();
  return async (requests) => {
    const { verdicts, candidates } = judgeStates(states, requests, weight);
    const unknown = [...demandsOf(candidates)].flatMap(([subject, demand]) =>
      known.has(subject) ? [] : [demand],
    );
    const totals = unknown.length === 0 ? [] : await listCounts(pool, unknown);
    for (const { demand, window } of totals)
      known.set(demand.subject, { demand, window, used: window.total });
    for (const candidate of candidates) {
      verdicts.set(candidate.request.input.id, judgeCounts(candidate, known));
      // A recipient is judged once: only shared counts are needed again, and they are few.
      for (const { rule, subject } of candidate.counts) if (rule.scope === 'recipient') known.delete(subject);
    }
    return verdicts;
  };
}

/** A count during the judgement of a batch: `used` of the window's total is what passed before, here and elsewhere. */
interface WindowCount {
  demand: Demand;
  window: WindowTotal;
  used: number;
}

type Counted = ReadonlyMap<string, WindowCount>;

const idOf = ({ request }: Candidate): string => request.input.id;

const frozenText = ({ channel }: FreezeRow): string =>
  channel === 'all' ? 'The environment is frozen' : `The channel ${channel} is frozen`;

/** The units of a message before it is rendered: the length of its text is not known. */
function unitsBefore({ channel, template_version_id, inline_format, text_body }: BrakeInput): number {
  const isText = template_version_id === null && inline_format !== 'liquid';
  return billedUnits(channel, isText ? text_body : null);
}

/** What the candidates need in all, by subject. */
function demandsOf(
  candidates: { request: Pick<BrakeRequest, 'input' | 'at'>; counts: Candidate['counts'] }[],
): Map<string, Demand> {
  const demands = new Map<string, Demand>();
  for (const { request, counts } of candidates) {
    for (const { rule, subject, amount } of counts) {
      const known = demands.get(subject);
      if (known) known.amount += amount;
      else {
        const { environment_id: environmentId } = request.input;
        demands.set(subject, { environmentId, rule, subject, amount, at: request.at });
      }
    }
  }
  return demands;
}

/** Judges a notification by the counts. When it passes, it counts. A count that is absent is within its limit. */
function judgeCounts(
  { request, counts }: Candidate,
  counted: Counted,
  onFull: (rule: ActiveRule) => void = () => {},
): BrakeVerdict {
  if (counted.size === 0) return pass;
  const concerned = counts.flatMap(({ rule, subject, amount }) => {
    const count = counted.get(subject);
    return count ? [{ rule, amount, count }] : [];
  });
  const full = concerned.filter(({ rule, amount, count }) => count.used + amount > rule.limit);
  for (const rule of new Set(full.map(({ rule }) => rule))) onFull(rule);
  const strictest = full.filter(({ rule }) => stops(rule, request)).sort(strictestFirst)[0];
  if (strictest) return verdictOf(request, strictest.rule, strictest.count.window);
  for (const { amount, count } of concerned) count.used += amount;
  return pass;
}

function refundOf({ demand, window, used }: WindowCount): Refund[] {
  const amount = window.total - used;
  return amount > 0 ? [{ demand, slot_at: window.slot_at, amount }] : [];
}

/** A released notification passes the rule that held it, and no other. */
function stops(rule: ActiveRule, request: BrakeRequest): boolean {
  return rule.action !== 'notify' && !passesOf(request).includes(rule.key);
}

/** The rules that the notification was released from; a later hold does not undo a release. */
function passesOf({ hold, decision }: BrakeRequest): string[] {
  const before = hold?.passes ?? [];
  return hold && decision === 'release' ? [...before, hold.hold] : before;
}

const strictness: readonly string[] = ['suppress', 'hold', 'delay'];

function strictestFirst(a: { rule: ActiveRule }, b: { rule: ActiveRule }): number {
  return strictness.indexOf(a.rule.action) - strictness.indexOf(b.rule.action);
}

function verdictOf(request: BrakeRequest, rule: ActiveRule, window: WindowTotal): BrakeVerdict {
  const limit = `The rule ${rule.key} allows ${limitText(rule)}`;
  if (rule.action === 'suppress')
    return { kind: 'suppress', reason: 'frequency_capped', detail: `${limit}: not sent.` };
  const { hold } = request;
  if (rule.action === 'delay') {
    const isRepeated = hold?.hold === rule.key && request.decision === null;
    const times = isRepeated ? (hold.times ?? 0) + 1 : 0;
    const note = {
      ...(isRepeated ? hold : holdOf(request, rule.key, rule.hold_expires_hours)),
      ...{ delayed: true as const, times },
    };
    const { seconds, slotSeconds } = windows[rule.window];
    const opens = window.first_at.getTime() + (seconds + slotSeconds) * 1_000;
    const earliest = Math.min(Math.max(opens, request.at + slotSeconds * 1_000), note.expires);
    const spreadMs = Math.min(spreadMsOf(rule, times), note.expires - earliest);
    const until = Math.floor(earliest + spreadMs * Math.random());
    const detail = `${limit}: delayed until ${new Date(until).toISOString()}.`;
    return { kind: 'hold', note, until, detail, isRepeated };
  }
  const note = holdOf(request, rule.key, rule.hold_expires_hours);
  const detail = `${limit}: held until it is released, at most until ${new Date(note.expires).toISOString()}.`;
  return { kind: 'hold', note, until: note.expires, detail, isRepeated: false };
}

/** Wide enough that a backlog is judged a few times in all, and not again in each slot. */
const widestSpreadWindows = 16;

/**
 * What waits for the same count would become due together, and find room for a few: the spread begins with a slot and doubles each time.
 * A recipient has few messages, which need none.
 */
function spreadMsOf({ scope, window }: ActiveRule, times: number): number {
  const { seconds, slotSeconds } = windows[window];
  if (scope === 'recipient') return 0;
  return Math.min(slotSeconds * 2 ** times, widestSpreadWindows * seconds) * 1_000;
}

function holdOf(request: BrakeRequest, hold: string, hours: number): HoldNote {
  const { input, at } = request;
  const latest = input.attachments ? idTime(input.id) + attachmentHours * hourMs : Number.POSITIVE_INFINITY;
  const passes = passesOf(request);
  return {
    hold,
    since: at,
    expires: Math.min(at + hours * hourMs, latest),
    ...(passes.length > 0 && { passes }),
  };
}
