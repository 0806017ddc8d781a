import { isDatabaseUnavailable, trackWrite, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { bodyHashOf } from '../../../http/body-hash.ts';
import type { Principal } from '../../../http/principal.ts';
import { compileRequestCheck } from '../../../http/validation.ts';
import { type BatcherOptions, createBatcher, queueFull } from '../../../kernel/batcher.ts';
import { notFound, Problem } from '../../../kernel/errors.ts';
import { isLoopHeld, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { idTime } from '../../../kernel/ids.ts';
import { isRecord } from '../../../kernel/json.ts';
import { ObjectStoreError } from '../../../kernel/object-store.ts';
import { type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import { hasTags, type InlineCheck } from '../../content/templates/index.ts';
import { eraseInboxItems, inboxTopic } from '../../inbox/index.ts';
import {
  checkIdempotencyKey,
  findEarlierHolder,
  findKeyHolder,
  type KeyClaim,
} from '../../platform/idempotency/index.ts';
import {
  type Bodies,
  type NotificationObjects,
  orUnavailable,
  releaseBodies,
  storeUnavailable,
  type UploadedObjects,
} from '../../platform/objects/index.ts';
import { deliveryView, listDeliveriesOfNotification } from '../../webhooks/index.ts';
import {
  type Acceptance,
  acceptanceOfTest,
  checkAttachmentsLast,
  checkRequest,
  checkSendAt,
  storedBytes,
  type TestMessage,
  templateDataJson,
  withoutKey,
} from './accept.ts';
import { decodeAhead } from './attachments.ts';
import { deleteWholly, type WakeRuns } from './eraser.ts';
import { type LookupSources, lookUp } from './lookups.ts';
import { contentAfter, isLiquidAfter, sourcesIn } from './patch.ts';
import { acceptanceOfResend, checkResendable, claimOfResend, contentToResend } from './resend.ts';
import {
  type Notification,
  type NotificationPatch,
  type NotificationQuery,
  type Priority,
  SendRequest,
  type Trace,
} from './schema.ts';
import * as store from './store.ts';
import { traceOf, viewOf, viewOfAccepted } from './view.ts';
import { createWrite, type WrittenNotification } from './write.ts';

export interface AcceptedNotification {
  notification: Notification;
  /** True when the Idempotency-Key was seen before, and nothing new was created. */
  replayed: boolean;
}

/** Whether the caller has closed the connection; what is not written by then is not written. */
type IsAbandoned = () => boolean;

export interface NotificationService {
  accept(
    principal: Principal,
    request: SendRequest,
    idempotencyKey: string | null,
    isAbandoned?: IsAbandoned,
  ): Promise<AcceptedNotification>;
  /** Resolves to one entry per element; a bad element never fails the others. */
  acceptMany(
    principal: Principal,
    requests: unknown[],
    isAbandoned?: IsAbandoned,
  ): Promise<(AcceptedNotification | Problem)[]>;
  /** Sends a message of the service itself over a chat connection, through the same path as every other notification. */
  sendTest(principal: Principal, test: TestMessage): Promise<Notification>;
  get(principal: Principal, id: string): Promise<Notification>;
  list(principal: Principal, query: NotificationQuery): Promise<Page<Notification>>;
  update(principal: Principal, id: string, patch: NotificationPatch): Promise<Notification>;
  delete(principal: Principal, id: string): Promise<void>;
  resend(principal: Principal, id: string, idempotencyKey: string | null): Promise<AcceptedNotification>;
  trace(principal: Principal, id: string): Promise<Trace>;
}

type ServiceDeps = Pick<
  Deps,
  'pool' | 'listReads' | 'queue' | 'clock' | 'metrics' | 'activity' | 'storage' | 'doorbell' | 'tasks'
> & { lookups: LookupSources; objects: NotificationObjects; checkInline: InlineCheck };

/** Parts that benchmarks replace, to measure their cost. */
export interface WriteOptions {
  /** Writes a batch of acceptances durably. */
  write?: (acceptances: Acceptance[]) => Promise<WrittenNotification[]>;
  batching?: Pick<BatcherOptions<Acceptance>, 'concurrency' | 'maxItems'>;
  maxWaiting?: BatcherOptions<Acceptance>['maxWaiting'];
}

const checkElement = compileRequestCheck(SendRequest, 'body');

/** Whether the checks may take as long as those of many ordinary sends. */
const isLarge = ({ html_body, text_body, template_data }: SendRequest): boolean =>
  !!template_data || (html_body?.length ?? 0) + (text_body?.length ?? 0) > 10_000;

/**
 * What may wait to be written. 10,000 notifications are two to four seconds of work on a good day: a caller beyond them is served
 * sooner by another process, or later. 64 MB of content are a few times that in memory, which a process of 512 MB survives.
 */
const maxWaiting = { items: 10_000, weight: 64_000_000 };

export function createNotificationService(
  deps: ServiceDeps,
  wakeRuns: WakeRuns,
  options: WriteOptions = {},
): NotificationService {
  const { pool, queue, objects } = deps;

  const write = options.write ?? createWrite(deps);
  const batcher = createBatcher((acceptances: Acceptance[]) => trackWrite(pool, () => write(acceptances)), {
    // The batch is small enough that answers flow while the next one is written: with 250 the process and the database waited
    // for each other, and throughput was a tenth lower.
    ...(options.batching ?? { concurrency: 2, maxItems: 64 }),
    weigh: ({ content, bytes, uploaded }) =>
      (uploaded?.bodyId ? 0 : (content.html_body?.length ?? 0) + (content.text_body?.length ?? 0)) +
      templateDataJson(content.template_data).length +
      (uploaded ? 0 : bytes.reduce((sum, file) => sum + file.length, 0)),
    maxWeight: 1_000_000, // writing four times as much at once takes 100 ms
    splitOn: (error) => !isDatabaseUnavailable(error),
    maxWaiting: options.maxWaiting ?? maxWaiting,
  });

  async function acceptOne(
    principal: Principal,
    request: SendRequest,
    key: string | null,
    defaultPriority: Priority,
    isAbandoned?: IsAbandoned,
  ): Promise<AcceptedNotification> {
    const { environmentId } = principal;
    const hash = key === null ? '' : bodyHashOf(deps.tasks, environmentId, request);
    const bodyHash = typeof hash === 'string' ? hash : await hash;
    try {
      const lookups = await lookUp(deps.lookups, principal, request);
      if (request.attachments) await decodeAhead(request.attachments);
      // A batch may contain 500 large requests. For one small send the check costs more than it saves.
      if (defaultPriority === 'bulk' || isLarge(request)) while (isLoopHeld()) await yieldToEventLoop();
      const acceptance = checkRequest(principal, request, lookups, {
        idempotency: key === null ? null : { key, bodyHash },
        defaultPriority,
        now: deps.clock(),
      });
      if (acceptance.content.inline_format === 'liquid')
        await deps.checkInline(environmentId, request.channel, acceptance.content);
      return await insert(acceptance, isAbandoned);
    } catch (error) {
      if (key === null || isAbandoned?.()) throw error;
      return replayedOr(error, { environmentId, operation: 'notification', key, bodyHash });
    }
  }

  /** A category, user or template that a request names may have been deleted since: a request accepted then is replayed now. */
  async function replayedOr(
    error: unknown,
    claim: Omit<KeyClaim, 'resourceId'>,
  ): Promise<AcceptedNotification> {
    // A full queue would get longer with every question to the database.
    const isAnswer = error instanceof Problem && error.code !== 'temporarily_unavailable';
    const replay = isAnswer ? await findReplay(claim) : null;
    if (!replay) throw error;
    return replay;
  }

  async function findReplay(claim: Omit<KeyClaim, 'resourceId'>): Promise<AcceptedNotification | null> {
    const holder = await findEarlierHolder(pool, claim);
    const stored = holder && (await store.findNotification(pool, claim.environmentId, holder));
    return stored ? { notification: await view(stored), replayed: true } : null;
  }

  const needsObjects = ({ bytes, content }: Acceptance): boolean =>
    (objects.takesAttachments && bytes.length > 0) || objects.takesBodies(content);

  /** Uploads before the commit: nothing that was acknowledged lacks its attachments or bodies. */
  async function upload({ row, content, bytes: attachments }: Acceptance): Promise<UploadedObjects> {
    const bodies = objects.takesBodies(content) ? content : null;
    return orUnavailable(objects.upload(row.environment_id, row.id, { attachments, bodies }));
  }

  async function view(stored: store.StoredNotification): Promise<Notification> {
    return viewOf(await withBodies(stored));
  }

  async function withBodies(stored: store.StoredNotification): Promise<store.StoredNotification> {
    if (stored.body_object === null) return stored;
    const [filled] = await orUnavailable(objects.withBodies([stored]));
    return filled ?? stored;
  }

  async function insert(acceptance: Acceptance, isAbandoned?: IsAbandoned): Promise<AcceptedNotification> {
    const { row, keyClaim, sender } = acceptance;
    deps.storage.check(sender);
    if (!acceptance.uploaded && needsObjects(acceptance)) {
      // A replay needs no upload, and succeeds while the object store is unavailable.
      const replay = keyClaim && (await findReplay(keyClaim));
      if (replay) return replay;
      acceptance.uploaded = await upload(acceptance);
    }
    const written = await batcher.add(acceptance, isAbandoned);
    if (written instanceof Problem) throw written;
    if (written) {
      deps.metrics.accepted.inc({ channel: row.channel });
      deps.activity.count(row.environment_id, row.channel, 'accepted');
      deps.storage.add(sender, () => storedBytes(acceptance));
      return { notification: viewOfAccepted(acceptance), replayed: false };
    }
    if (!keyClaim) throw new Error('a notification without an idempotency key was not written');
    const holder = await findKeyHolder(pool, keyClaim);
    if (holder === null) return insert(acceptance, isAbandoned);
    const stored = await store.findNotification(pool, row.environment_id, holder);
    if (!stored)
      throw new Problem('resource_not_found', 'The notification of this Idempotency-Key has been deleted.');
    return { notification: await view(stored), replayed: true };
  }

  async function getStored(principal: Principal, id: string): Promise<store.StoredNotification> {
    const stored = await store.findNotification(pool, principal.environmentId, id);
    if (!stored) throw notFound('notification');
    return stored;
  }

  /** Checks new Liquid before the transaction, which must not wait for a thread. */
  async function checkPatch(principal: Principal, id: string, patch: NotificationPatch): Promise<void> {
    const sources = sourcesIn(patch);
    if (!Object.values(sources).some(hasTags)) return;
    const stored = await getStored(principal, id);
    // A template's bodies win over inline ones, which are ignored whatever they contain.
    const used = stored.template_key === null ? sources : { ...sources, html_body: null, text_body: null };
    if (isLiquidAfter(stored, patch) && Object.values(used).some(hasTags))
      await deps.checkInline(stored.environment_id, stored.channel, used);
  }

  const service: NotificationService = {
    accept(principal, request, idempotencyKey, isAbandoned) {
      return acceptOne(principal, request, idempotencyKey, 'normal', isAbandoned);
    },

    async acceptMany(principal, requests, isAbandoned) {
      if (batcher.isFull()) throw queueFull();
      return Promise.all(
        requests.map((request) =>
          acceptElement(request).catch((error: unknown) => {
            if (error instanceof Problem) return error;
            throw error;
          }),
        ),
      );

      async function acceptElement(element: unknown): Promise<AcceptedNotification> {
        if (element instanceof Problem) throw element;
        if (!isRecord(element)) throw new Problem('parameter_invalid', 'Each element must be a JSON object.');
        while (isLoopHeld()) await yieldToEventLoop();
        checkElement(element);
        const { idempotency_key: key } = element as SendRequest;
        const request = withoutKey(element as SendRequest);
        return acceptOne(principal, request, key ?? null, 'bulk', isAbandoned);
      }
    },

    async sendTest(principal, test) {
      return (await insert(acceptanceOfTest(principal, test, deps.clock()))).notification;
    },

    async get(principal, id) {
      return view(await getStored(principal, id));
    },

    async list(principal, query) {
      const list = `notifications:${principal.environmentId}`;
      const page = pageRequest(list, query);
      const { environmentId } = principal;
      return deps.listReads.read(principal.id, async (sql) => {
        const { rows, scannedTo } = await store.listNotifications(sql, environmentId, query, page);
        const limit = Math.min(page.limit, fitting(rows, await objects.bodySizes(rows)));
        const { data, next_cursor } = pageOf(list, rows, limit, scannedTo);
        return { data: (await orUnavailable(objects.withBodies(data))).map(viewOf), next_cursor };
      });
    },

    async update(principal, id, patch) {
      const sendAt = patch.send_at === undefined ? undefined : checkSendAt(patch.send_at, deps.clock());
      await checkPatch(principal, id, patch);
      const known = objects.takesAttachments ? await withBodies(await getStored(principal, id)) : null;
      await transaction(pool, async (tx) => {
        const stored = await store.findNotification(tx, principal.environmentId, id);
        if (!stored) throw notFound('notification');
        // Withdrawing the job from the queue locks the notification: no worker can claim it before the commit.
        const work = await queue.withdraw(tx, 'notification', id);
        if (!work || wasHandedOver(work)) throw notEditable(viewOf(stored).status);
        if (stored.attachments) checkAttachmentsLast(sendAt ?? null, idTime(id));
        const whole = { ...stored, ...bodiesOf(stored, known) };
        const next = contentAfter(whole, patch);
        // Edited bodies are few, and go to the database.
        if (stored.body_object !== null) await releaseBodies(tx, [id]);
        await store.updateNotification(tx, id, {
          ...next,
          send_at: sendAt === undefined ? stored.send_at : sendAt,
        });
        const runAt = sendAt === undefined ? work.runAt : sendAt;
        if (runAt) await queue.postpone(tx, [{ ...work, runAt }]);
        else await queue.enqueue(tx, [work]);
      });
      queue.ring('notification');
      return service.get(principal, id);
    },

    async delete(principal, id) {
      const { owners, woken } = await transaction(pool, async (tx) => {
        const stored = await store.findNotification(tx, principal.environmentId, id);
        if (!stored) throw notFound('notification');
        const work = stored.status === 'queued' ? await queue.withdraw(tx, 'notification', id) : null;
        if (stored.status === 'queued' && (!work || wasHandedOver(work)))
          throw new Problem(
            'notification_not_editable',
            'The notification is being sent; delete it afterwards.',
          );
        const deleted = [{ environmentId: principal.environmentId, id }];
        const woken = await deleteWholly(tx, queue, wakeRuns, deleted);
        return { owners: await eraseInboxItems(tx, deleted), woken };
      });
      if (woken) queue.ring('run');
      for (const owner of owners) deps.doorbell.ring(inboxTopic(owner));
    },

    async resend(principal, id, idempotencyKey) {
      const { environmentId } = principal;
      const key = idempotencyKey === null ? null : checkIdempotencyKey(idempotencyKey);
      const claim = key === null ? null : claimOfResend(environmentId, id, key);
      try {
        const stored = await getStored(principal, id);
        checkResendable(stored);
        const content = await contentToResend(deps.lookups, principal, await withBodies(stored));
        return await insert(acceptanceOfResend(principal, stored, content, claim, deps.clock()));
      } catch (error) {
        if (!claim) throw error;
        return replayedOr(error, claim);
      }
    },

    async trace(principal, id) {
      const stored = await getStored(principal, id);
      const deliveries = await listDeliveriesOfNotification(pool, principal.environmentId, id);
      return {
        ...traceOf(stored, await queue.runAt(pool, 'notification', id)),
        webhook_deliveries: deliveries.map(deliveryView),
      };
    },
  };
  return service;
}

/** The bodies that were read before the transaction, which must not wait for the object store. */
function bodiesOf(stored: store.StoredNotification, known: store.StoredNotification | null): Partial<Bodies> {
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

/**
 * The maximum of body characters on one page of the list: writing a hundred bodies of 100 KB as JSON held the event loop for 75
 * ms.
 */
const pageCharacters = 2_000_000;

/** The number of leading notifications that fit on a page; at least one. */
function fitting(rows: store.StoredNotification[], bodySizes: ReadonlyMap<string, number>): number {
  let characters = 0;
  const count = rows.findIndex(({ html_body, text_body, body_object }) => {
    characters += (html_body?.length ?? 0) + (text_body?.length ?? 0);
    characters += bodySizes.get(body_object ?? '') ?? 0;
    return characters > pageCharacters;
  });
  return count === -1 ? rows.length : Math.max(1, count);
}

/** A provider has, or may have, the message: a worker died with the outcome of the call in the note. */
function wasHandedOver({ note }: { note?: unknown }): boolean {
  return isRecord(note) && (note.settled !== undefined || note.open !== undefined);
}
