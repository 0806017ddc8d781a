import {
  type Definition,
  type DefinitionProblem,
  type ValidationContext,
  validateBounded,
} from '../../../engine/index.ts';
import { computeOutside } from '../../../threads/outside.ts';
import type { TaskRunner } from '../../../threads/task.ts';

interface Candidate {
  /** The id of the version, which never changes. */
  versionId: string;
  definition: Definition;
  world: ValidationContext;
}

export type ProblemsOf = (candidate: Candidate) => DefinitionProblem[];

/** Runs a transaction that validates a version against the state of its environment at that time. */
export function validateOutside<Result>(
  tasks: TaskRunner,
  owner: string,
  transact: (problemsOf: ProblemsOf) => Promise<Result>,
): Promise<Result> {
  return computeOutside(
    {
      compute: ({ definition, world }: Candidate) => validateBounded(tasks, owner, definition, world),
      nameOf: ({ versionId, world }) => `${versionId} ${JSON.stringify(listed(world))}`,
    },
    transact,
  );
}

function listed({ templates, categories, channels }: ValidationContext) {
  const named = [...templates].map(([key, of]) => [key, [...of].sort()] as const);
  return [
    named.sort(([one], [other]) => (one < other ? -1 : 1)),
    [...categories].sort(),
    [...channels].sort(),
  ];
}
