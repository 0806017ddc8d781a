import { avatarUrlProblem, usernameProblem } from '../../../../channels/chatthree/index.ts';
import type { EndpointChannel } from '../../../../channels/spec.ts';
import { type Sql, transaction } from '../../../../db/sql.ts';
import type { Deps } from '../../../../deps.ts';
import type { Caller, Principal } from '../../../../http/principal.ts';
import { invalidParameter, notFound, Problem } from '../../../../kernel/errors.ts';
import { isUuid, newId } from '../../../../kernel/ids.ts';
import { pageOf, pageRequest } from '../../../../kernel/page.ts';
import { withVendor } from '../../../../kernel/vendors.ts';
import type { NotificationService, TestMessage } from '../../../notifications/notifications/index.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import { wakeWaiting } from '../waiting.ts';
import { type EndpointQuery, freeKey, slugOf } from './schema.ts';
import * as store from './store.ts';
import { endpointContext } from './targets.ts';

/** The differences between the two channels. */
export interface EndpointKind<View extends object> {
  channel: EndpointChannel;
  /** Returns the flavour of the URL, null when there is only one. Throws a Problem for a URL that is not accepted. */
  readUrl(url: string): string | null;
  viewOf(row: store.ChatEndpointRow): View;
  test: Pick<TestMessage, 'text' | 'structured'>;
}

interface EndpointBody {
  label?: string | undefined;
  webhook_url?: string | undefined;
  key?: string | null | undefined;
  default_username?: string | null | undefined;
  default_avatar_url?: string | null | undefined;
}
type NewChatEndpoint = EndpointBody & { label: string; webhook_url: string };

export interface ChatEndpointsService<View> {
  create(caller: Caller, body: NewChatEndpoint): Promise<View>;
  list(principal: Principal, query: EndpointQuery): Promise<{ data: View[]; next_cursor?: string | null }>;
  get(principal: Principal, id: string): Promise<View>;
  update(caller: Caller, id: string, body: EndpointBody): Promise<View>;
  delete(caller: Caller, id: string): Promise<void>;
  /** Returns the id of the notification. */
  sendTest(principal: Principal, id: string): Promise<string>;
}

const maxEndpoints = 1_000;
const prefixLength = 30;

interface EndpointDeps extends Pick<Deps, 'pool' | 'queue' | 'keyring' | 'clock'> {
  notifications: Pick<NotificationService, 'sendTest'>;
}

const nounOf = (channel: EndpointChannel): string => `${withVendor(channel)} endpoint`;

export function createChatEndpointsService<View extends object>(
  deps: EndpointDeps,
  kind: EndpointKind<View>,
): ChatEndpointsService<View> {
  const { pool, notifications } = deps;
  const { channel, viewOf } = kind;
  const noun = nounOf(channel);

  async function get({ environmentId }: Principal, id: string): Promise<store.ChatEndpointRow> {
    const row = await store.findEndpoint(pool, environmentId, channel, id);
    if (!row) throw notFound(noun);
    return row;
  }

  return {
    create: (caller, body) => createEndpoint(deps, kind, caller, body),

    async list({ environmentId }, query) {
      if (Object.keys(query).length === 0)
        return { data: (await store.listEndpoints(pool, environmentId, channel)).map(viewOf) };
      const list = `${channel}_endpoints:${environmentId}`;
      const page = pageRequest(list, query);
      const rows = await store.listEndpoints(pool, environmentId, channel, page);
      const { data, next_cursor } = pageOf(list, rows, page.limit);
      return { data: data.map(viewOf), next_cursor };
    },

    async get(principal, id) {
      return viewOf(await get(principal, id));
    },

    update: (caller, id, body) => updateEndpoint(deps, kind, caller, id, body),

    async delete(caller, id) {
      await transaction(pool, async (tx) => {
        const before = await lock(tx, channel, caller.principal, id);
        await store.deleteEndpoint(tx, before.id);
        await audit(tx, kind, caller, 'deleted', before, null);
      });
    },

    async sendTest(principal, id) {
      const row = await get(principal, id);
      if (row.status === 'gone' && principal.environmentKind === 'live')
        throw new Problem(
          'endpoint_disabled',
          `The service has deleted the webhook of this ${noun}, so it is no longer called (${row.last_failure_reason}). Set webhook_url with PUT to use the endpoint again.`,
        );
      const sent = await notifications.sendTest(principal, {
        channel,
        connectionId: row.id,
        address: row.key,
        ...kind.test,
      });
      return sent.id;
    },
  };
}

async function createEndpoint<View extends object>(
  { pool, keyring, clock }: EndpointDeps,
  kind: EndpointKind<View>,
  caller: Caller,
  body: NewChatEndpoint,
): Promise<View> {
  checkTexts(body);
  const id = newId(clock());
  const row = {
    id,
    environment_id: caller.principal.environmentId,
    channel: kind.channel,
    label: body.label,
    ...urlFields(keyring, kind, id, body.webhook_url),
    default_username: body.default_username || null,
    default_avatar_url: body.default_avatar_url || null,
    revision: 1,
    status: 'active' as const,
    last_success_at: null,
    last_failure_at: null,
    last_failure_reason: null,
  };
  return transaction(pool, async (tx) => {
    const inserted = await insert(tx, row, body.key || null);
    await audit(tx, kind, caller, 'created', null, inserted);
    return kind.viewOf(inserted);
  });
}

async function updateEndpoint<View extends object>(
  { pool, queue, keyring }: EndpointDeps,
  kind: EndpointKind<View>,
  caller: Caller,
  id: string,
  body: EndpointBody,
): Promise<View> {
  checkTexts(body);
  const view = await transaction(pool, async (tx) => {
    const before = await lock(tx, kind.channel, caller.principal, id);
    const { label, webhook_url: url, default_username: name, default_avatar_url: avatar } = body;
    const after: store.ChatEndpointRow = {
      ...before,
      label: label ?? before.label,
      default_username: name === undefined ? before.default_username : name || null,
      default_avatar_url: avatar === undefined ? before.default_avatar_url : avatar || null,
      // Saving a URL resets the health, also when it is the same URL.
      ...(url === undefined
        ? {}
        : {
            ...urlFields(keyring, kind, before.id, url),
            revision: before.revision + 1,
            status: 'active' as const,
          }),
    };
    await store.updateEndpoint(tx, after);
    await audit(tx, kind, caller, 'updated', before, after);
    if (url !== undefined) await wakeWaiting(tx, queue, after.environment_id, after);
    return kind.viewOf(after);
  });
  queue.ring('wake');
  return view;
}

/** The stored columns for a URL: sealed, its beginning for display, and its flavour. */
function urlFields(
  keyring: Deps['keyring'],
  { readUrl }: Pick<EndpointKind<object>, 'readUrl'>,
  id: string,
  url: string,
): Pick<store.ChatEndpointRow, 'flavour' | 'url_sealed' | 'url_prefix'> {
  return {
    flavour: readUrl(url),
    url_sealed: keyring.seal(url, endpointContext(id)),
    url_prefix: url.slice(0, prefixLength),
  };
}

async function audit(
  tx: Sql,
  { channel, viewOf }: Pick<EndpointKind<object>, 'channel' | 'viewOf'>,
  caller: Caller,
  change: string,
  before: store.ChatEndpointRow | null,
  after: store.ChatEndpointRow | null,
): Promise<void> {
  await recordAudit(tx, caller, {
    action: `${channel}_endpoint.${change}`,
    target: `${channel}_endpoint:${(after ?? before)?.id}`,
    before: before && viewOf(before),
    after: after && viewOf(after),
  });
}

async function lock(
  tx: Sql,
  channel: EndpointChannel,
  { environmentId }: Principal,
  id: string,
): Promise<store.ChatEndpointRow> {
  const row = await store.lockEndpoint(tx, environmentId, channel, id);
  if (!row) throw notFound(nounOf(channel));
  return row;
}

/** Inserts under the key that was asked for, or the first free one. */
async function insert(
  tx: Sql,
  row: Omit<store.ChatEndpointRow, 'key'>,
  key: string | null,
): Promise<store.ChatEndpointRow> {
  const { channel } = row;
  const noun = nounOf(channel);
  for (;;) {
    const others = await store.listEndpoints(tx, row.environment_id, channel);
    if (others.length >= maxEndpoints)
      throw invalidParameter('webhook_url', `An environment can have at most ${maxEndpoints} ${noun}s.`);
    const taken = new Set(others.map((other) => other.key));
    const complete = { ...row, key: key ?? freeKey(slugOf(row.label, channel), taken) };
    if (await store.insertEndpoint(tx, complete)) return complete;
    if (key !== null)
      throw new Problem('duplicate_key', `The environment already has a ${noun} with this key.`, {
        param: 'key',
      });
    // A concurrent insert took the key, and is visible by now.
  }
}

function checkTexts({ label, key, default_username: name, default_avatar_url: avatar }: EndpointBody): void {
  const problems = {
    label: label !== undefined && /\p{Cc}/u.test(label) ? 'must not contain control characters' : null,
    key: key && isUuid(key) ? 'must not look like an id' : null,
    default_username: name ? usernameProblem(name) : null,
    default_avatar_url: avatar ? avatarUrlProblem(avatar) : null,
  };
  for (const [field, problem] of Object.entries(problems))
    if (problem) throw invalidParameter(field, `${field} ${problem}.`);
}
