import type { Random } from './random.ts';
import { type Answer, type Credentials, type FuzzTarget, until } from './target.ts';
import type { Json, JsonObject } from './values.ts';

/** One input put to the service, step by step; what each step cost is kept by its name. */
export interface Trial {
  target: FuzzTarget;
  /** One request. */
  ask(name: string, method: string, path: string, body?: Json | Buffer, by?: Credentials): Promise<Answer>;
  /** Something else than a request; it resolves to whether that was accepted. */
  tell(name: string, isAccepted: () => Promise<boolean>): Promise<boolean>;
  /** What goes on in the service after its answers: a send on its way, a run. */
  afterwards(name: string, isOver: () => Promise<boolean>): Promise<void>;
  costs: Map<string, number>;
  /** By their first digit: whether inputs come past the door. */
  statuses: Map<number, number>;
}

/** What can be searched: how inputs are made, and what is done with one. */
export interface Area {
  name: string;
  /** Inputs that held the loop once, and such as were tried first: a brief run tries each `sampleEvery`-th of them. */
  known: JsonObject[];
  sampleEvery?: number;
  /** Inputs for one of other areas: many where they take little time. */
  perRound?: number;
  fresh(random: Random): JsonObject;
  run(trial: Trial, input: JsonObject): Promise<void>;
}

export function newTrial(target: FuzzTarget): Trial {
  const costs = new Map<string, number>();
  const statuses = new Map<number, number>();
  async function count(name: string, kind?: number): Promise<void> {
    if (kind !== undefined) statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
    costs.set(name, Math.max(costs.get(name) ?? 0, await target.longestBlock()));
  }
  return {
    target,
    costs,
    statuses,
    async ask(name, method, path, body, by) {
      const answer = await target.request(method, path, body, by);
      await count(name, Math.floor(answer.status / 100));
      return answer;
    },
    async tell(name, isAccepted) {
      const accepted = await isAccepted();
      await count(name, accepted ? 2 : 4);
      return accepted;
    },
    async afterwards(name, isOver) {
      await until(isOver);
      await count(name);
    },
  };
}
