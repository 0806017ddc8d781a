import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { recordEngagement } from './engagements.ts';
import type { BrakeStates } from './state.ts';

/**
 * Finds workflows that trigger themselves. The first run of a chain gives it its id; the chain travels with the notifications, events
 * and calls of each run, and comes back in the header or the body of a trigger.
 */
export interface LoopGuard {
  /** Returns the chain of a run that this chain triggers; null begins a new one. Throws when the chain is too long. */
  check(principal: Principal, chain: string | null): Promise<string | null>;
}

const pattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12});(\d{1,4})$/;

export function createLoopGuard(
  deps: Pick<Deps, 'pool' | 'queue'>,
  { states }: { states: BrakeStates },
): LoopGuard {
  return {
    async check({ environmentId, environmentKind }, chain) {
      if (chain === null) return null;
      const [, id, before] = pattern.exec(chain) ?? [];
      if (id === undefined)
        throw invalidParameter(
          'chain',
          'The chain must be passed on as it was received: an id, “;” and a depth.',
        );
      const depth = Number(before) + 1;
      await states.load(new Map([[environmentId, environmentKind]]));
      const rule = states.get(environmentId)?.rules.find(({ scope }) => scope === 'chain');
      if (!rule || depth <= rule.limit) return `${id};${depth}`;
      const detail = `Runs of the chain ${id} triggered each other ${rule.limit} times; the next one was refused.`;
      await recordEngagement(deps, { environmentId, rule, detail });
      throw new Problem(
        'workflow_loop',
        `This run would be the ${depth}th that runs of the same chain trigger; the rule ${rule.key} allows ${rule.limit}.`,
      );
    },
  };
}
