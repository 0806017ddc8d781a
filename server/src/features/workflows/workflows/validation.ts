import { channels } from '../../../channels/contract.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import type { Sql } from '../../../db/sql.ts';
import {
  type Definition,
  type DefinitionProblem,
  references,
  type ValidationContext,
  validateBounded,
} from '../../../engine/index.ts';
import { computeOutsideTransaction } from '../../../threads/outside-transaction.ts';
import type { TaskRunner } from '../../../threads/task.ts';
import { listTemplateChannels } from '../../content/templates/index.ts';
import { listCategoriesByKey } from '../../people/preferences/index.ts';

interface Candidate {
  /** The id of the version, which never changes. */
  versionId: string;
  definition: Definition;
  context: ValidationContext;
}

export type ProblemsOf = (candidate: Candidate) => DefinitionProblem[];

/** Runs a transaction that validates a version against the state of its environment at that time. */
export function validateOutside<Result>(
  tasks: TaskRunner,
  owner: string,
  transact: (problemsOf: ProblemsOf) => Promise<Result>,
): Promise<Result> {
  return computeOutsideTransaction(
    {
      compute: ({ definition, context }: Candidate) => validateBounded(tasks, owner, definition, context),
      nameOf: ({ versionId, context }) => `${versionId} ${JSON.stringify(listed(context))}`,
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

/** Reads the resources of the environment that a body names. The templates cannot be deleted until the transaction ends. */
export async function validationContextOf(
  tx: Sql,
  environmentId: string,
  definition: Definition,
): Promise<ValidationContext> {
  const named = references(definition);
  const templates = await listTemplateChannels(tx, environmentId, named.templateKeys);
  const categories =
    named.categories.length === 0
      ? []
      : await listCategoriesByKey(
          tx,
          named.categories.map((key) => ({ environmentId, key })),
        );
  return {
    templates,
    categories: new Set(categories.filter((row) => !row.is_archived).map(({ key }) => key)),
    channels: new Set(channels),
    templatedChannels: new Set(channels.filter((channel) => templateRules[channel].isRequired)),
  };
}
