import { channels } from '../../../channels/contract.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import type { Sql } from '../../../db/sql.ts';
import { type Definition, references, type ValidationContext } from '../../../engine/index.ts';
import { listTemplateChannels } from '../../content/templates/index.ts';
import { listCategoriesByKey } from '../../people/preferences/index.ts';

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
