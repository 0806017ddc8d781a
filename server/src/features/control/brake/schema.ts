import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { DateTime, IdParams, Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../../http/schema.ts';
import { dottedKey, oneLine } from '../../../kernel/patterns.ts';
import { ruleActions, ruleScopes, ruleUnits, ruleWindows } from './rules.ts';

export const brakeLimits = {
  name: 200,
  reason: 500,
  rules: 100,
  runningReleases: 20,
  messages: 1_000_000_000,
  money: 1_000_000_000_000_000,
  holdHours: 720,
  chainDepth: 100,
} as const;

const Key = Type.String({ pattern: dottedKey });
export const RuleParams = Type.Object({ key: Key });
export const HoldParams = Type.Object({ hold: Type.String({ minLength: 1, maxLength: 120 }) });
export const ReleaseParams = IdParams;
const MatchKey = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));
const HoldHours = Type.Integer({ minimum: 1, maximum: brakeLimits.holdHours });

export const Match = Type.Object(
  {
    channel: Type.Optional(OneOf(channels)),
    category: MatchKey,
    template_key: MatchKey,
    workflow_key: MatchKey,
    key_id: Type.Optional(Uuid),
  },
  { title: 'BrakeRuleMatch', description: 'Which notifications the rule counts; all of them when empty.' },
);

const ruleFields = {
  name: Type.String({ minLength: 1, maxLength: brakeLimits.name, pattern: oneLine }),
  scope: OneOf(ruleScopes, {
    description:
      'What the limit is for: the whole environment, each API key, each category, each workflow or each recipient (the user and the address, each on its own). `chain` limits how deep workflow runs trigger each other. `spike` compares the rate of the last minute with the same hour of the last seven days.',
  }),
  limit: Type.Integer({
    description:
      'Messages per window; with unit `money`, millionths of the currency of /v1/prices. For `chain` the depth, for `spike` how many times the usual rate.',
  }),
};

export const RuleInput = Type.Object(
  {
    ...ruleFields,
    match: Type.Optional(Match),
    per_template: Type.Optional(
      Type.Boolean({ description: 'Scope `recipient` only: count each template and channel apart.' }),
    ),
    window: Type.Optional(
      OneOf(ruleWindows, { description: 'A sliding window. Not for `chain` and `spike`.' }),
    ),
    unit: Type.Optional(OneOf(ruleUnits)),
    action: Type.Optional(
      OneOf(ruleActions, {
        description:
          'Beyond the limit: `hold` (default) until someone releases it, `delay` until the window has room, `suppress` with the reason `frequency_capped`, or `notify` only. A chain is always refused (`refuse`); a spike notifies or holds.',
      }),
    ),
    hold_expires_hours: Type.Optional(
      Type.Integer({
        ...HoldHours,
        description:
          'Held notifications become `suppressed` (`held_expired`) after this time. Defaults to 72.',
      }),
    ),
    includes_critical: Type.Optional(
      Type.Boolean({ description: 'Critical notifications are not counted or held unless this is true.' }),
    ),
    is_enabled: Type.Optional(Type.Boolean()),
  },
  {
    title: 'BrakeRuleInput',
    examples: [
      {
        name: 'Three marketing messages a day',
        scope: 'recipient',
        match: { category: 'marketing' },
        window: 'day',
        limit: 3,
        action: 'delay',
      },
    ],
  },
);
export type RuleInput = Static<typeof RuleInput>;

export const Rule = Type.Object(
  {
    key: Type.String(),
    ...ruleFields,
    match: Match,
    per_template: Type.Boolean(),
    window: OneOf(ruleWindows),
    unit: OneOf(ruleUnits),
    action: OneOf(ruleActions),
    hold_expires_hours: Type.Integer(),
    includes_critical: Type.Boolean(),
    is_enabled: Type.Boolean(),
    is_default: Type.Boolean({
      description: 'In force without having been saved. Save a rule with the same key to replace it.',
    }),
  },
  { title: 'BrakeRule' },
);
export type RuleResponse = Static<typeof Rule>;

export const RuleList = PageOf(Rule);

const FrozenChannel = Type.Optional(
  Nullable(OneOf(channels, { description: 'One channel; all channels when left out.' })),
);

export const FreezeInput = Type.Object(
  {
    channel: FrozenChannel,
    reason: Type.Optional(Nullable(Type.String({ maxLength: brakeLimits.reason }))),
    hold_expires_hours: Type.Optional(
      Type.Integer({
        ...HoldHours,
        description: 'Held notifications expire after this time. Defaults to 168.',
      }),
    ),
  },
  { title: 'FreezeInput', examples: [{ channel: 'sms', reason: 'A loop in the reminder job' }] },
);
export type FreezeInput = Static<typeof FreezeInput>;

export const UnfreezeInput = Type.Object(
  { channel: FrozenChannel },
  { title: 'UnfreezeInput', examples: [{ channel: 'sms' }] },
);

export const Freeze = Type.Object(
  {
    channel: Nullable(Type.String({ description: 'Null: all channels.' })),
    hold: Type.String({ description: 'The name of what it holds, for /v1/brake/holds.' }),
    reason: Nullable(Type.String()),
    frozen_at: DateTime,
  },
  { title: 'Freeze' },
);
export type FreezeResponse = Static<typeof Freeze>;

const HeldNotification = Type.Object(
  {
    notification_id: Uuid,
    channel: Type.String(),
    address: Nullable(Type.String()),
    template_key: Nullable(Type.String()),
    category: Nullable(Type.String()),
    held_at: Nullable(DateTime),
    expires_at: Nullable(DateTime),
  },
  { title: 'HeldNotification' },
);
export type HeldNotification = Static<typeof HeldNotification>;

const holdFields = {
  hold: Type.String({ description: 'The key of the rule, or `freeze:` and a channel or `all`.' }),
  rule_name: Nullable(Type.String({ description: 'Null for a freeze, and for a rule that was deleted.' })),
  count: Type.Integer(),
  is_capped: Type.Boolean({ description: 'There are more than `count`.' }),
  oldest_held_at: DateTime,
};

const Hold = Type.Object({ ...holdFields, samples: Type.Array(HeldNotification) }, { title: 'Hold' });
export type HoldResponse = Static<typeof Hold>;
export const HoldList = PageOf(Hold);

export const HoldPreview = Type.Object(
  {
    ...holdFields,
    recipients: Type.Integer({ description: 'Different recipients among the first 10,000.' }),
    by_channel: Type.Array(Type.Object({ channel: Type.String(), count: Type.Integer() })),
    samples: Type.Array(
      Type.Object(
        {
          ...HeldNotification.properties,
          subject: Nullable(Type.String()),
          text: Nullable(Type.String({ description: 'The message as it would be sent, shortened.' })),
          error: Nullable(Type.String()),
        },
        { title: 'HeldSample' },
      ),
    ),
  },
  { title: 'HoldPreview' },
);
export type HoldPreview = Static<typeof HoldPreview>;

export const ReleaseInput = Type.Object(
  {
    action: OneOf(['release', 'cancel'], {
      description:
        'Send them, paced and the oldest first, or end them as `suppressed` with `held_cancelled`.',
    }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: brakeLimits.messages,
        description: 'The oldest N; all when left out.',
      }),
    ),
  },
  { title: 'HoldReleaseInput', examples: [{ action: 'release', limit: 100 }] },
);
export type ReleaseInput = Static<typeof ReleaseInput>;

export const Release = Type.Object(
  {
    id: Uuid,
    hold: Type.String(),
    action: OneOf(['release', 'cancel']),
    status: OneOf(['running', 'done', 'cancelled']),
    total: Type.Integer(),
    done: Type.Integer(),
    started_at: DateTime,
    estimated_end_at: Nullable(DateTime),
    completed_at: Nullable(DateTime),
  },
  { title: 'HoldRelease' },
);
export type ReleaseResponse = Static<typeof Release>;
export const ReleasePage = PageOf(Release);
export const ReleaseQuery = Type.Object(pageQuery);

export const BrakeStatus = Type.Object(
  {
    freezes: Type.Array(Freeze),
    engaged: Type.Array(
      Type.Object(
        { rule: Type.String(), detail: Type.String(), engaged_at: DateTime, last_at: DateTime },
        { title: 'EngagedRule' },
      ),
      { description: 'The rules that stopped or noticed something in the last ten minutes.' },
    ),
    held: Type.Array(Type.Object({ hold: Type.String(), count: Type.Integer(), is_capped: Type.Boolean() })),
    releases: Type.Array(Release, { description: 'Those that are running.' }),
  },
  { title: 'BrakeStatus' },
);
export type BrakeStatus = Static<typeof BrakeStatus>;
