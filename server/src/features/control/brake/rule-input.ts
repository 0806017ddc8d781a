import type { Sql } from '../../../db/sql.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { createKnownNames, newNameBudget } from '../../../kernel/known-names.ts';
import { type BrakeRule, defaultHoldHours, type RuleAction, type RuleMatch } from './rules.ts';
import { brakeLimits, Match, type RuleInput } from './schema.ts';
import { listMatchKeys, listUnmatched, type MatchKeyField } from './store.ts';

/** Completes and checks a rule. Throws a Problem that names the field. */
export function ruleOf(key: string, input: RuleInput): BrakeRule {
  const { scope, unit = 'messages', match = {} } = input;
  const rule: BrakeRule = {
    key,
    name: input.name,
    scope,
    match,
    per_template: input.per_template ?? false,
    window: input.window ?? (scope === 'spike' ? 'minute' : 'day'),
    unit,
    limit: input.limit,
    action: input.action ?? defaultAction[scope],
    hold_expires_hours: input.hold_expires_hours ?? defaultHoldHours,
    includes_critical: input.includes_critical ?? false,
    is_enabled: input.is_enabled ?? true,
  };
  checkLimit(rule);
  checkAction(rule);
  const reserved = Object.entries(specialKeys).find(([, special]) => special === key);
  if (reserved && reserved[0] !== scope)
    throw invalidParameter('scope', `The rule ${key} has the scope ${reserved[0]}.`);
  if (scope === 'chain' || scope === 'spike') checkSpecial(rule, input);
  else if (input.window === undefined)
    throw invalidParameter('window', 'window is required: minute, hour or day.');
  if (rule.per_template && scope !== 'recipient')
    throw invalidParameter('per_template', 'per_template is for rules with the scope recipient.');
  // A rule without the condition that was meant would hold more.
  const unknown = Object.keys(match).find((name) => !Object.hasOwn(Match.properties, name));
  if (unknown !== undefined) throw invalidParameter(`match.${unknown}`, `A rule cannot match ${unknown}.`);
  if (match.key_id !== undefined && match.workflow_key !== undefined)
    throw invalidParameter('match', 'match takes key_id or workflow_key: a workflow sends without a key.');
  return rule;
}

/** A rule with a misspelt name would limit nothing, and nobody would notice. Throws a Problem that names the field and a near key. */
export async function checkMatch(sql: Sql, environmentId: string, match: RuleMatch): Promise<void> {
  const [field] = await listUnmatched(sql, environmentId, match);
  if (field === undefined) return;
  const param = `match.${field}`;
  if (field === 'key_id') throw invalidParameter(param, 'The environment has no API key with this id.');
  const given = match[field] ?? '';
  const keys = createKnownNames(await listMatchKeys(sql, environmentId, field));
  const near = keys.findMisspelt({ [given]: true }, newNameBudget());
  const hint = near ? ` Did you mean ${near.meant}?` : '';
  throw invalidParameter(param, `The environment has no ${matchWords[field]} ${given}.${hint}`);
}

const matchWords: Record<MatchKeyField, string> = {
  category: 'category',
  template_key: 'template',
  workflow_key: 'workflow',
};

const defaultAction: Record<BrakeRule['scope'], RuleAction> = {
  environment: 'hold',
  key: 'hold',
  category: 'hold',
  workflow: 'hold',
  recipient: 'hold',
  chain: 'refuse',
  spike: 'notify',
};

function checkLimit({ scope, unit, limit }: BrakeRule): void {
  const [least, most] =
    scope === 'chain'
      ? [1, brakeLimits.chainDepth]
      : scope === 'spike'
        ? [2, 1_000]
        : [1, unit === 'money' ? brakeLimits.money : brakeLimits.messages];
  if (!Number.isInteger(limit) || limit < least || limit > most)
    throw invalidParameter(
      'limit',
      `limit must be an integer from ${least} to ${most}. To send nothing at all, freeze the environment.`,
    );
}

function checkAction({ scope, action }: BrakeRule): void {
  const allowed: readonly RuleAction[] =
    scope === 'chain'
      ? ['refuse']
      : scope === 'spike'
        ? ['notify', 'hold']
        : ['hold', 'delay', 'suppress', 'notify'];
  if (!allowed.includes(action))
    throw invalidParameter('action', `action must be ${allowed.join(', ')} for the scope ${scope}.`);
}

/** Rules that count no messages of a window take none of the fields for it. */
function checkSpecial({ scope, key }: BrakeRule, input: RuleInput): void {
  const only = specialKeys[scope as keyof typeof specialKeys];
  if (key !== only)
    throw invalidParameter(
      'scope',
      `The rule with the scope ${scope} has the key ${only}: there is one of it.`,
    );
  if (Object.keys(input.match ?? {}).length > 0)
    throw invalidParameter('match', `A rule with the scope ${scope} takes no match.`);
  if (input.unit === 'money')
    throw invalidParameter('unit', `A rule with the scope ${scope} counts no money.`);
}

const specialKeys = { chain: 'workflow_loop', spike: 'spike' } as const;
