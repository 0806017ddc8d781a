import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { type Claim, type Job, runSlice } from '../../../queue/index.ts';
import { type Eraser, erasePerson, type NotedPerson, type Person, readPerson } from './erasure.ts';

const slicesPerTurn = 400;
const againMs = 5_000;

/** Erases what was too much for the request, or was being sent while it ran. */
export function createErasureJob(
  deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'log'> & { erasers: Eraser[] },
): Job<Person> {
  const { pool, clock, log, erasers } = deps;
  return {
    batch: 4,
    capacity: 8,
    async load(claims) {
      const read = async ({ id, note }: Claim): Promise<[string, Person]> => [
        id,
        await untilDatabaseAnswers(() => readPerson(pool, note as NotedPerson)),
      ];
      return new Map(await Promise.all(claims.map(read)));
    },
    async run(claim, person) {
      const done = !person || (await erasePerson(pool, erasers, person, slicesPerTurn));
      log.info({ environment_id: claim.environmentId, id: claim.id, done }, 'erasing a user');
      await runSlice(deps, claim, async () => ({ next: done ? null : new Date(clock() + againMs) }));
    },
  };
}
