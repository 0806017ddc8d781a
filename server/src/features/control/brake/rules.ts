import type { Channel } from '../../../channels/contract.ts';
import { addressKeyOn } from '../../../channels/specs.ts';
import { sha256Hex } from '../../../kernel/crypto.ts';

/** What a rule limits. `chain` limits how deep runs trigger runs; `spike` compares the rate with what is usual. */
export const ruleScopes = [
  'environment',
  'key',
  'category',
  'workflow',
  'recipient',
  'chain',
  'spike',
] as const;
type RuleScope = (typeof ruleScopes)[number];

export const ruleWindows = ['minute', 'hour', 'day'] as const;
type RuleWindow = (typeof ruleWindows)[number];

/** What happens beyond the limit. `delay` holds until the window opens; `notify` only reports; `refuse` is for chains alone. */
export const ruleActions = ['hold', 'delay', 'suppress', 'notify', 'refuse'] as const;
export type RuleAction = (typeof ruleActions)[number];

export const ruleUnits = ['messages', 'money'] as const;

export interface RuleMatch {
  channel?: Channel;
  category?: string;
  template_key?: string;
  workflow_key?: string;
  key_id?: string;
}

export interface BrakeRule {
  key: string;
  name: string;
  scope: RuleScope;
  match: RuleMatch;
  per_template: boolean;
  window: RuleWindow;
  unit: (typeof ruleUnits)[number];
  limit: number;
  action: RuleAction;
  hold_expires_hours: number;
  includes_critical: boolean;
  is_enabled: boolean;
  /** Sends to addresses of the sandbox do not count: they are made to be sent to again and again. Only of default rules. */
  ignoresSandbox?: true;
}

/** A rule that is in force; `workflowId` is the id of the workflow that it names, null when there is none. */
export interface ActiveRule extends BrakeRule {
  workflowId: string | null;
}

/** The facts of a notification that rules look at. */
export interface BrakedNotification {
  id: string;
  environment_id: string;
  environment_kind: 'test' | 'live';
  channel: Channel;
  priority: string;
  address: string | null;
  external_user_id: string | null;
  category: string | null;
  template_key: string | null;
  source_id: string | null;
  chain: string | null;
}

/**
 * The sliding window of a rule and the slots that it is counted in. The slot that the window begins in counts whole, so a window is
 * never exceeded, and opens at most one slot late.
 */
export const windows: Record<RuleWindow, { seconds: number; slotSeconds: number }> = {
  minute: { seconds: 60, slotSeconds: 5 },
  hour: { seconds: 3_600, slotSeconds: 60 },
  day: { seconds: 86_400, slotSeconds: 1_440 },
};

export const defaultHoldHours = 72;
const defaultLoopDepth = 5;

const base = {
  match: {},
  per_template: false,
  unit: 'messages',
  hold_expires_hours: defaultHoldHours,
  includes_critical: false,
  is_enabled: true,
} as const;

/** In force without a row, so that new and existing environments have them alike. A stored rule with the same key replaces one. */
const loopRule: BrakeRule = {
  ...base,
  key: 'workflow_loop',
  name: 'Workflow that triggers itself',
  scope: 'chain',
  window: 'day',
  limit: defaultLoopDepth,
  action: 'refuse',
};

const spikeRule: BrakeRule = {
  ...base,
  key: 'spike',
  name: 'More than usual at this hour',
  scope: 'spike',
  window: 'minute',
  limit: 10,
  action: 'notify',
};

const repeatedMessagesRule: BrakeRule = {
  ...base,
  key: 'repeated_messages',
  name: 'Same template to one recipient',
  scope: 'recipient',
  per_template: true,
  window: 'hour',
  limit: 100,
  action: 'hold',
};

/** The default rules of a kind of environment. */
export type DefaultRules = (kind: 'test' | 'live') => BrakeRule[];

/** `recipientLimit` is set by the operator; 0 for none. */
export function defaultRulesWith(recipientLimit: number): DefaultRules {
  const repeated = { ...repeatedMessagesRule, limit: recipientLimit };
  const inTest: BrakeRule[] = [{ ...repeated, ignoresSandbox: true }, loopRule];
  const inLive = [repeated, spikeRule, loopRule];
  return (kind) => (kind === 'live' ? inLive : inTest).filter(({ limit }) => limit > 0);
}

/** The stored rules of an environment, and the default ones that none of them replaces, by key. */
export function withDefaults<Rule extends BrakeRule>(
  stored: Rule[],
  defaults: BrakeRule[],
): (Rule | BrakeRule)[] {
  const keys = new Set(stored.map(({ key }) => key));
  const all = [...stored, ...defaults.filter(({ key }) => !keys.has(key))];
  return all.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What the rule counts the notification for, with the environment and the rule; none when the rule does not concern it. */
export function subjectsOf(rule: ActiveRule, notification: BrakedNotification): string[] {
  if (!concerns(rule, notification)) return [];
  const subjects = limitedBy(rule, notification);
  return subjects.map((subject) => `${notification.environment_id} ${rule.key} ${subject}`);
}

/** The stored form of a subject. A hash reveals no address, and is shorter to index. */
export function hashSubject(subject: string): string {
  const hex = sha256Hex(subject);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

function concerns({ match, ...rule }: ActiveRule, notification: BrakedNotification): boolean {
  const { source_id } = notification;
  if (notification.priority === 'critical' && !rule.includes_critical) return false;
  if (match.channel !== undefined && match.channel !== notification.channel) return false;
  if (match.category !== undefined && match.category !== notification.category) return false;
  if (match.template_key !== undefined && match.template_key !== notification.template_key) return false;
  if (match.key_id !== undefined && match.key_id !== source_id) return false;
  return match.workflow_key === undefined || (rule.workflowId !== null && rule.workflowId === source_id);
}

function limitedBy(rule: ActiveRule, notification: BrakedNotification): string[] {
  const only = (subject: string | null): string[] => (subject === null ? [] : [subject]);
  const { chain, source_id, category } = notification;
  switch (rule.scope) {
    case 'environment':
      return [''];
    case 'key':
      return only(chain === null ? source_id : null);
    case 'workflow':
      return only(chain === null ? null : source_id);
    case 'category':
      return only(category);
    case 'recipient':
      return recipientsOf(rule, notification);
    case 'chain':
    case 'spike':
      return [];
  }
}

/**
 * A recipient is counted by user id and by address, each in its normal form. One address under many user ids reaches the limit, and so
 * does one user with many addresses. The spec of the channel says which addresses count: those that have an `addressKey`. Addresses
 * of chat channels and webhook endpoints have none, because many people read them.
 */
function recipientsOf(
  { per_template, ignoresSandbox }: ActiveRule,
  { channel, address: given, external_user_id: user, template_key }: BrakedNotification,
): string[] {
  // Without a template there is nothing to tell repetitions from other messages.
  if (per_template && !template_key) return [];
  const address = addressKeyOn(channel, given);
  if (ignoresSandbox && address !== null && isSandboxAddress(address)) return [];
  const prefix = per_template ? `${channel} ${template_key} ` : '';
  const recipients: string[] = [];
  if (user !== null) recipients.push(`${prefix}user ${user.normalize('NFC')}`);
  if (address !== null) recipients.push(prefix + address);
  return recipients;
}

const isSandboxAddress = (address: string): boolean =>
  address.endsWith('@sandbox.test') || address.startsWith('+1500555');

/** The limit of a rule in words. */
export function limitText({ limit, unit, window, scope, per_template }: BrakeRule): string {
  const amount =
    unit === 'money'
      ? `${limit / 1_000_000} of estimated cost`
      : `${limit} ${limit === 1 ? 'message' : 'messages'}`;
  const what = per_template ? ' of a template and channel' : '';
  const each = scope === 'environment' ? 'in the environment' : `for each ${scope}`;
  return `${amount}${what} per ${window} ${each}`;
}
