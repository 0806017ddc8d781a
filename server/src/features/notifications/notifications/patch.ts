import { transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { Principal } from '../../../http/principal.ts';
import { Problem } from '../../../kernel/errors.ts';
import { idTime } from '../../../kernel/ids.ts';
import { isRecord } from '../../../kernel/json.ts';
import { ObjectStoreError } from '../../../kernel/object-store.ts';
import { hasTags, type InlineCheck, type InlineSources } from '../../content/templates/index.ts';
import {
  type Bodies,
  type NotificationObjects,
  releaseBodies,
  storeUnavailable,
} from '../../platform/objects/index.ts';
import { checkSendAt } from './accept.ts';
import { checkAttachmentsLast, checkContent, checkSurroundings } from './content.ts';
import type { NotificationPatch } from './schema.ts';
import { type EditedContent, getNotification, type StoredNotification, updateNotification } from './store.ts';
import { viewOf, withBodies } from './view.ts';

type UpdateDeps = Pick<Deps, 'pool' | 'queue' | 'clock'> & {
  objects: NotificationObjects;
  checkInline: InlineCheck;
};

/** Changes a queued notification. Withdrawing its work from the queue locks it: no worker can claim it before the commit. */
export async function updateQueued(
  deps: UpdateDeps,
  { environmentId }: Principal,
  id: string,
  patch: NotificationPatch,
): Promise<void> {
  const { pool, queue, objects } = deps;
  const sendAt = patch.send_at === undefined ? undefined : checkSendAt(patch.send_at, deps.clock());
  await checkPatch(deps, environmentId, id, patch);
  const known = objects.takesAttachments
    ? await withBodies(objects, await getNotification(pool, environmentId, id))
    : null;
  await transaction(pool, async (tx) => {
    const stored = await getNotification(tx, environmentId, id);
    const work = await queue.withdraw(tx, 'notification', id);
    if (!work || wasHandedOver(work)) throw notEditable(viewOf(stored).status);
    if (stored.attachments) checkAttachmentsLast(sendAt ?? null, idTime(id));
    const whole = { ...stored, ...bodiesOf(stored, known) };
    const next = contentAfter(whole, patch);
    // Edited bodies are few, and go to the database.
    if (stored.body_object !== null) await releaseBodies(tx, [id]);
    await updateNotification(tx, id, { ...next, send_at: sendAt === undefined ? stored.send_at : sendAt });
    const runAt = sendAt === undefined ? work.runAt : sendAt;
    if (runAt) await queue.postpone(tx, [{ ...work, runAt }]);
    else await queue.enqueue(tx, [work]);
  });
  queue.ring('notification');
}

/** Checks new Liquid before the transaction, which must not wait for a thread. */
async function checkPatch(
  { pool, checkInline }: UpdateDeps,
  environmentId: string,
  id: string,
  patch: NotificationPatch,
): Promise<void> {
  const sources = sourcesIn(patch);
  if (!Object.values(sources).some(hasTags)) return;
  const stored = await getNotification(pool, environmentId, id);
  // A template's bodies win over inline ones, which are ignored whatever they contain.
  const used = stored.template_key === null ? sources : { ...sources, html_body: null, text_body: null };
  if (isLiquidAfter(stored, patch) && Object.values(used).some(hasTags))
    await checkInline(environmentId, stored.channel, used);
}

/** A provider has, or may have, the message: a worker died with the outcome of the call in the note. */
export function wasHandedOver({ note }: { note?: unknown }): boolean {
  return isRecord(note) && (note.settled !== undefined || note.open !== undefined);
}

/** The bodies that were read before the transaction, which must not wait for the object store. */
function bodiesOf(stored: StoredNotification, known: StoredNotification | null): Partial<Bodies> {
  if (stored.body_object === null) return {};
  if (known?.body_object !== stored.body_object)
    throw storeUnavailable(new ObjectStoreError('missing', 'The bodies changed at the same time.'));
  return { html_body: known.html_body, text_body: known.text_body };
}

function notEditable(status: string): Problem {
  return new Problem(
    'notification_not_editable',
    `Only queued notifications can be changed; this one is ${status}.`,
  );
}

/** The stored parts that a change of a queued notification replaces. */
type Edited = EditedContent & Pick<StoredNotification, 'inbox_extras' | 'action_url'>;

const inlineFields = ['subject', 'html_body', 'text_body'] as const;
const contentFields = [...inlineFields, 'template_data'] as const;

const isGiven = (patch: NotificationPatch, field: keyof NotificationPatch): boolean =>
  patch[field] !== undefined;

function sourcesIn({ subject, html_body, text_body }: NotificationPatch): InlineSources {
  return { subject: subject || null, html_body: html_body || null, text_body: text_body || null };
}

/** Whether the content is Liquid after the change, as far as it has tags. Content that is Liquid stays so without data. */
function isLiquidAfter(stored: StoredNotification, patch: NotificationPatch): boolean {
  if (stored.inline_format === 'liquid' || (patch.template_data ?? null) !== null) return true;
  // Sent with data, but so far without a tag; workflows and broadcasts have rendered theirs.
  const isOwn = stored.chain === null && stored.broadcast_id === null;
  return isOwn && stored.rendered_at === null && Object.keys(stored.template_data).length > 0;
}

/** Throws the Problem of a change that the content does not allow. A change of other fields keeps what was rendered. */
function contentAfter(stored: StoredNotification, patch: NotificationPatch): Edited {
  const edited = {
    ...stored,
    ...stored.inbox_extras,
    subject: ownSubject(stored),
    ...givenFields(patch),
    send_at: null,
  };
  const action_url = edited.action_url || null;
  if (!contentFields.some((field) => isGiven(patch, field)))
    return { ...stored, ...checkSurroundings(edited), action_url };
  const isLiquid = isLiquidAfter(stored, patch);
  if (isLiquid) requireSources(stored, patch);
  return { ...checkContent(edited, isLiquid), structured: null, rendered_at: null, action_url };
}

/** The subject of the request; a template that was rendered has left its own subject in the row. */
function ownSubject({ template_key, inline_format, subject }: StoredNotification): string | null {
  return template_key !== null && inline_format === null ? null : subject;
}

/**
 * What is stored may be the result of a rendering, or of a workflow: it contains data, which must not be read as Liquid, and it
 * does not follow new data. The caller gives such fields again.
 */
function requireSources(stored: StoredNotification, patch: NotificationPatch): void {
  const isSource = stored.inline_format === 'liquid' && stored.rendered_at === null;
  if (isSource) return;
  const wasRendered = stored.inline_format === 'liquid' && isGiven(patch, 'template_data');
  const fields = stored.template_key === null ? inlineFields : (['subject'] as const);
  for (const param of fields) {
    const text = param === 'subject' ? ownSubject(stored) : stored[param];
    if (text === null || isGiven(patch, param) || !(wasRendered || hasTags(text))) continue;
    throw new Problem(
      'parameter_missing',
      `${param} has been rendered already, or was stored as it is: give it again to have it rendered with template_data.`,
      { param },
    );
  }
}

function givenFields(patch: NotificationPatch): NotificationPatch {
  const { subject, html_body, text_body, template_data, action_url, tags, actions } = patch;
  const fields = { subject, html_body, text_body, template_data, action_url, tags, actions };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
