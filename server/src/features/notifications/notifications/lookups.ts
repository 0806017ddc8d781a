import type { Channel } from '../../../channels/contract.ts';
import type { ConnectionDirectory, KnownConnection, StoredAddresses } from '../../../channels/spec.ts';
import { channelSpecs } from '../../../channels/specs.ts';
import type { Principal } from '../../../http/principal.ts';
import type { SendRequest } from './schema.ts';

/** Stored facts that the checks of a request depend on. They are read first, so that the checks stay pure. */
export interface Lookups {
  /** Null when the request names no template, or none with this key exists. */
  template: KnownTemplate | null;
  category: KnownCategory | null;
  /** The stored user of `recipient.external_user_id`; null also when no stored field is needed. */
  user: KnownUser | null;
  /** The endpoint or installation that the recipient names, or the default one. */
  connection: KnownConnection | null;
  /** Why the environment cannot send on the channel; null when it can, and always in Test. */
  senderProblem: string | null;
}

interface KnownTemplate {
  /** The content is pinned to this version. */
  versionId: string;
  channels: ReadonlySet<Channel>;
}

export interface KnownCategory {
  isCritical: boolean;
  isArchived: boolean;
}

export interface KnownUser extends StoredAddresses {
  name: string | null;
  locale: string | null;
}

/** The sources of the lookups. Each answers from its cache most of the time: every send calls them. */
export interface LookupSources extends ConnectionDirectory {
  findTemplate(environmentId: string, key: string, channel: Channel): Promise<KnownTemplate | null>;
  findCategory(environmentId: string, key: string): Promise<KnownCategory | null>;
  findUser(environmentId: string, externalUserId: string): Promise<KnownUser | null>;
  /** What a Live environment lacks to send on the channel; null when nothing, without a promise when that is cached. */
  findSenderProblem(environmentId: string, channel: Channel): Promise<string | null> | null;
}

const nothingNamed: Lookups = {
  template: null,
  category: null,
  user: null,
  connection: null,
  senderProblem: null,
};

type Named = Pick<SendRequest, 'channel' | 'template_key' | 'category' | 'recipient' | 'template_data'>;

export async function lookUp(
  sources: LookupSources,
  { environmentId, environmentKind }: Pick<Principal, 'environmentId' | 'environmentKind'>,
  request: Named,
): Promise<Lookups> {
  const { channel, recipient, template_key: templateKey, category: categoryKey } = request;
  const spec = channelSpecs[channel];
  const { addressIsUserId, needsStoredAddress } = spec.recipient;
  const userId = recipient.external_user_id || (addressIsUserId && recipient.address);
  const problem = environmentKind === 'test' ? null : sources.findSenderProblem(environmentId, channel);
  if (!templateKey && !categoryKey && !userId && !spec.connection && !problem) return nothingNamed;
  const [template, category, user, connection, senderProblem] = await Promise.all([
    templateKey ? sources.findTemplate(environmentId, templateKey, channel) : null,
    categoryKey ? sources.findCategory(environmentId, categoryKey) : null,
    userId && (needsStoredAddress(recipient) || (addressIsUserId && !recipient.name) || wantsLocale(request))
      ? sources.findUser(environmentId, userId)
      : null,
    spec.connection?.find(sources, environmentId, recipient) ?? null,
    problem,
  ]);
  return { template, category, user, connection, senderProblem };
}

function wantsLocale(request: Named): boolean {
  return Boolean(request.template_key) && request.template_data?.locale === undefined;
}
