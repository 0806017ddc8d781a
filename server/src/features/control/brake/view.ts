import { progressView } from '../../../kernel/progress.ts';
import { freezeHold } from './hold.ts';
import type { BrakeRule } from './rules.ts';
import type { FreezeResponse, ReleaseResponse, RuleResponse } from './schema.ts';
import type { FreezeRow, ReleaseRow, RuleRow } from './store.ts';

export function ruleView(rule: BrakeRule | RuleRow): RuleResponse {
  const { key, name, scope, match, per_template, window, unit, limit, action } = rule;
  const { hold_expires_hours, includes_critical, is_enabled } = rule;
  return {
    ...{ key, name, scope, match, per_template, window, unit, limit, action },
    ...{ hold_expires_hours, includes_critical, is_enabled },
    is_default: !('id' in rule),
  };
}

export function freezeView({ channel, reason, frozen_at }: FreezeRow): FreezeResponse {
  return {
    channel: channel === 'all' ? null : channel,
    hold: freezeHold(channel),
    reason,
    frozen_at: frozen_at.toISOString(),
  };
}

/** Slices of 500 with a second between them; see release-job.ts. */
const releasedPerMs = 0.5;

export function releaseView(row: ReleaseRow): ReleaseResponse {
  const { id, hold, action, status, total, started_at } = row;
  const endMs = status === 'running' ? started_at.getTime() + total / releasedPerMs : null;
  return { ...{ id, hold, action }, ...progressView(row, endMs), started_at: started_at.toISOString() };
}
