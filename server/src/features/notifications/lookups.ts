import type { Channel } from '../../channels/contract.ts';
import type { SendRequest } from './schema.ts';

/** What the checks of a request must know and the request does not say. It is read first, so that the checks stay pure. */
export interface Lookups {
  /** Null: the request names none, or there is none with this key. */
  template: TemplateFact | null;
  category: CategoryFact | null;
}

export interface TemplateFact {
  /** The content is pinned to this version. */
  versionId: string;
  channels: ReadonlySet<Channel>;
}

export interface CategoryFact {
  isCritical: boolean;
  isArchived: boolean;
}

/** Who is asked. Each answers from memory most of the time: this is on the way of every send. */
export interface LookupSources {
  findTemplate(environmentId: string, key: string, channel: Channel): Promise<TemplateFact | null>;
  findCategory(environmentId: string, key: string): Promise<CategoryFact | null>;
}

type Named = Pick<SendRequest, 'channel' | 'template_key' | 'category'>;

export async function lookUp(
  sources: LookupSources,
  environmentId: string,
  { channel, template_key: templateKey, category: categoryKey }: Named,
): Promise<Lookups> {
  const [template, category] = await Promise.all([
    templateKey ? sources.findTemplate(environmentId, templateKey, channel) : null,
    categoryKey ? sources.findCategory(environmentId, categoryKey) : null,
  ]);
  return { template, category };
}
