import { isDatabaseUnavailable, trackWrite, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { bodyHashOf } from '../../../http/json.ts';
import type { Principal } from '../../../http/principal.ts';
import { compileRequestCheck } from '../../../http/validation.ts';
import { type Batcher, type BatcherOptions, createBatcher, queueFull } from '../../../kernel/batcher.ts';
import { Problem } from '../../../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { isRecord } from '../../../kernel/json.ts';
import { countFitting, type Page, pageOf, pageRequest } from '../../../kernel/page.ts';
import type { InlineCheck } from '../../content/templates/index.ts';
import { inboxTopic } from '../../inbox/index.ts';
import {
  checkIdempotencyKey,
  findEarlierHolder,
  findKeyHolder,
  type KeyClaim,
} from '../../platform/idempotency/index.ts';
import { type NotificationObjects, orUnavailable } from '../../platform/objects/index.ts';
import { deliveryView, listDeliveriesOfNotification } from '../../webhooks/index.ts';
import {
  type Acceptance,
  acceptanceOfTest,
  checkRequest,
  storedBytes,
  type TestMessage,
  withoutKey,
} from './accept.ts';
import { decodeAhead, templateDataJson } from './content.ts';
import { deleteOne, type WakeRuns } from './eraser.ts';
import { type LookupSources, lookUp } from './lookups.ts';
import { updateQueued } from './patch.ts';
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
import { traceOf, viewOf, viewOfAccepted, withBodies } from './view.ts';
import { createWrite, type WrittenNotification } from './write.ts';

export interface AcceptedNotification {
  notification: Notification;
  /** True when the Idempotency-Key was seen before, and nothing new was created. */
  replayed: boolean;
}

/** Whether the caller has closed the connection; what is not written by then is not written. */
type IsAbandoned = () => boolean;

export type NotificationService = ReturnType<typeof createNotificationService>;

type ServiceDeps = Pick<
  Deps,
  'pool' | 'listReads' | 'queue' | 'clock' | 'metrics' | 'activity' | 'storage' | 'doorbell' | 'tasks'
> & { lookups: LookupSources; objects: NotificationObjects; checkInline: InlineCheck };

type AcceptDeps = ServiceDeps & { batcher: Batcher<Acceptance, WrittenNotification> };

/** Parts that benchmarks replace, to measure their cost. */
export interface WriteOptions {
  /** Writes a batch of acceptances durably. */
  write?: (acceptances: Acceptance[]) => Promise<WrittenNotification[]>;
  batching?: Pick<BatcherOptions<Acceptance>, 'concurrency' | 'maxItems'>;
  maxWaiting?: BatcherOptions<Acceptance>['maxWaiting'];
}

const checkElement = compileRequestCheck(SendRequest, 'body');

/**
 * The limits of the queue before the writer. Writing 10,000 notifications takes two to four seconds: beyond that, another process or
 * a retry answers sooner. 64 MB of content take a few times that in memory, which fits into a process of 512 MB.
 */
const maxWaiting = { items: 10_000, weight: 64_000_000 };

export function createNotificationService(
  serviceDeps: ServiceDeps,
  wakeRuns: WakeRuns,
  options: WriteOptions = {},
) {
  const { pool, queue, objects, listReads } = serviceDeps;
  const deps: AcceptDeps = { ...serviceDeps, batcher: createWriteBatcher(serviceDeps, options) };

  async function get({ environmentId }: Principal, id: string): Promise<Notification> {
    return viewOf(await withBodies(objects, await store.getNotification(pool, environmentId, id)));
  }

  return {
    accept(
      principal: Principal,
      request: SendRequest,
      idempotencyKey: string | null,
      isAbandoned?: IsAbandoned,
    ): Promise<AcceptedNotification> {
      return acceptOne(deps, principal, request, {
        key: idempotencyKey,
        defaultPriority: 'normal',
        isAbandoned,
      });
    },

    /** Resolves to one entry per element; a bad element never fails the others. */
    async acceptMany(
      principal: Principal,
      requests: unknown[],
      isAbandoned?: IsAbandoned,
    ): Promise<(AcceptedNotification | Problem)[]> {
      if (deps.batcher.isFull()) throw queueFull();
      return Promise.all(
        requests.map((request) =>
          acceptElement(deps, principal, request, isAbandoned).catch((error: unknown) => {
            if (error instanceof Problem) return error;
            throw error;
          }),
        ),
      );
    },

    /** Sends a message of the service itself over a chat connection, through the same path as every other notification. */
    async sendTest(principal: Principal, test: TestMessage): Promise<Notification> {
      return (await insert(deps, acceptanceOfTest(principal, test, deps.clock()))).notification;
    },

    get,

    async list(principal: Principal, query: NotificationQuery): Promise<Page<Notification>> {
      const list = `notifications:${principal.environmentId}`;
      const page = pageRequest(list, query);
      const { environmentId } = principal;
      return listReads.read(principal.id, async (sql) => {
        const { rows, scannedTo } = await store.listNotifications(sql, environmentId, query, page);
        const objectSizes = await objects.bodySizes(rows);
        const sizes = rows.map((row) => bodyCharacters(row, objectSizes));
        const limit = Math.min(page.limit, countFitting(sizes, pageCharacters));
        const { data, next_cursor } = pageOf(list, rows, limit, scannedTo);
        return { data: (await orUnavailable(objects.withBodies(data))).map(viewOf), next_cursor };
      });
    },

    async update(principal: Principal, id: string, patch: NotificationPatch): Promise<Notification> {
      await updateQueued(deps, principal, id, patch);
      return get(principal, id);
    },

    async delete({ environmentId }: Principal, id: string): Promise<void> {
      const { owners, woken } = await transaction(pool, (tx) =>
        deleteOne(tx, queue, wakeRuns, { environmentId, id }),
      );
      if (woken) queue.ring('run');
      for (const owner of owners) deps.doorbell.ring(inboxTopic(owner));
    },

    async resend(
      principal: Principal,
      id: string,
      idempotencyKey: string | null,
    ): Promise<AcceptedNotification> {
      const { environmentId } = principal;
      const key = idempotencyKey === null ? null : checkIdempotencyKey(idempotencyKey);
      const claim = key === null ? null : claimOfResend(environmentId, id, key);
      try {
        const stored = await store.getNotification(pool, environmentId, id);
        checkResendable(stored);
        const content = await contentToResend(deps.lookups, principal, await withBodies(objects, stored));
        return await insert(deps, acceptanceOfResend(principal, stored, content, claim, deps.clock()));
      } catch (error) {
        if (!claim) throw error;
        return replayedOr(deps, error, claim);
      }
    },

    async trace({ environmentId }: Principal, id: string): Promise<Trace> {
      const stored = await store.getNotification(pool, environmentId, id);
      const deliveries = await listDeliveriesOfNotification(pool, environmentId, id);
      return {
        ...traceOf(stored, await queue.runAt(pool, 'notification', id)),
        webhook_deliveries: deliveries.map(deliveryView),
      };
    },
  };
}

function createWriteBatcher(deps: ServiceDeps, options: WriteOptions): AcceptDeps['batcher'] {
  const write = options.write ?? createWrite(deps);
  return createBatcher((acceptances: Acceptance[]) => trackWrite(deps.pool, () => write(acceptances)), {
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
}

async function acceptElement(
  deps: AcceptDeps,
  principal: Principal,
  element: unknown,
  isAbandoned: IsAbandoned | undefined,
): Promise<AcceptedNotification> {
  if (element instanceof Problem) throw element;
  if (!isRecord(element)) throw new Problem('parameter_invalid', 'Each element must be a JSON object.');
  while (shouldYield()) await yieldToEventLoop();
  checkElement(element);
  const { idempotency_key: key = null } = element as SendRequest;
  const request = withoutKey(element as SendRequest);
  return acceptOne(deps, principal, request, { key, defaultPriority: 'bulk', isAbandoned });
}

async function acceptOne(
  deps: AcceptDeps,
  principal: Principal,
  request: SendRequest,
  {
    key,
    defaultPriority,
    isAbandoned,
  }: { key: string | null; defaultPriority: Priority; isAbandoned: IsAbandoned | undefined },
): Promise<AcceptedNotification> {
  const { environmentId } = principal;
  const hash = key === null ? '' : bodyHashOf(deps.tasks, environmentId, request);
  const bodyHash = typeof hash === 'string' ? hash : await hash;
  try {
    const lookups = await lookUp(deps.lookups, principal, request);
    if (request.attachments) await decodeAhead(request.attachments);
    // A batch may contain 500 large requests. For one small send the check costs more than it saves.
    if (defaultPriority === 'bulk' || isLarge(request)) while (shouldYield()) await yieldToEventLoop();
    const acceptance = checkRequest(principal, request, lookups, {
      idempotency: key === null ? null : { key, bodyHash },
      defaultPriority,
      now: deps.clock(),
    });
    if (acceptance.content.inline_format === 'liquid')
      await deps.checkInline(environmentId, request.channel, acceptance.content);
    return await insert(deps, acceptance, isAbandoned);
  } catch (error) {
    if (key === null || isAbandoned?.()) throw error;
    return replayedOr(deps, error, { environmentId, operation: 'notification', key, bodyHash });
  }
}

/** Whether the checks may take as long as those of many ordinary sends. */
const isLarge = ({ html_body, text_body, template_data }: SendRequest): boolean =>
  !!template_data || (html_body?.length ?? 0) + (text_body?.length ?? 0) > 10_000;

async function insert(
  deps: AcceptDeps,
  acceptance: Acceptance,
  isAbandoned?: IsAbandoned,
): Promise<AcceptedNotification> {
  const { row, keyClaim, sender, content, bytes: attachments } = acceptance;
  const { objects, storage } = deps;
  storage.check(sender);
  const bodies = objects.takesBodies(content) ? content : null;
  if (!acceptance.uploaded && (bodies || (objects.takesAttachments && attachments.length > 0))) {
    // A replay needs no upload, and succeeds while the object store is unavailable.
    const replay = keyClaim && (await findReplay(deps, keyClaim));
    if (replay) return replay;
    // The upload comes before the commit: nothing that was acknowledged lacks its attachments or bodies.
    const upload = objects.upload(row.environment_id, row.id, { attachments, bodies });
    acceptance.uploaded = await orUnavailable(upload);
  }
  const written = await deps.batcher.add(acceptance, isAbandoned);
  if (written instanceof Problem) throw written;
  if (written) {
    deps.metrics.accepted.inc({ channel: row.channel });
    deps.activity.count(row.environment_id, row.channel, 'accepted');
    storage.add(sender, () => storedBytes(acceptance));
    return { notification: viewOfAccepted(acceptance), replayed: false };
  }
  if (!keyClaim) throw new Error('a notification without an idempotency key was not written');
  const holder = await findKeyHolder(deps.pool, keyClaim);
  if (holder === null) return insert(deps, acceptance, isAbandoned);
  const replay = await replayOf(deps, row.environment_id, holder);
  if (replay) return replay;
  throw new Problem('resource_not_found', 'The notification of this Idempotency-Key has been deleted.');
}

/** A category, user or template that a request names may have been deleted since: a request accepted then is replayed now. */
async function replayedOr(
  deps: ServiceDeps,
  error: unknown,
  claim: Omit<KeyClaim, 'resourceId'>,
): Promise<AcceptedNotification> {
  // While the queue is full, the database gets no further queries.
  const isAnswer = error instanceof Problem && error.code !== 'temporarily_unavailable';
  const replay = isAnswer ? await findReplay(deps, claim) : null;
  if (!replay) throw error;
  return replay;
}

async function findReplay(
  deps: ServiceDeps,
  claim: Omit<KeyClaim, 'resourceId'>,
): Promise<AcceptedNotification | null> {
  const holder = await findEarlierHolder(deps.pool, claim);
  return holder === null ? null : replayOf(deps, claim.environmentId, holder);
}

async function replayOf(
  { pool, objects }: ServiceDeps,
  environmentId: string,
  id: string,
): Promise<AcceptedNotification | null> {
  const stored = await store.findNotification(pool, environmentId, id);
  return stored && { notification: viewOf(await withBodies(objects, stored)), replayed: true };
}

/**
 * The maximum of body characters on one page of the list: writing a hundred bodies of 100 KB as JSON blocked the event loop for 75
 * ms.
 */
const pageCharacters = 2_000_000;

function bodyCharacters(
  { html_body, text_body, body_object }: store.StoredNotification,
  objectSizes: ReadonlyMap<string, number>,
): number {
  const inObject = body_object === null ? 0 : (objectSizes.get(body_object) ?? 0);
  return (html_body?.length ?? 0) + (text_body?.length ?? 0) + inObject;
}
