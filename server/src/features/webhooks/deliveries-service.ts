import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import type { Caller, Principal } from '../../http/principal.ts';
import { notFound, Problem } from '../../kernel/errors.ts';
import { firstId, lowestIdAt } from '../../kernel/ids.ts';
import { type Page, pageOf, pageRequest } from '../../kernel/page.ts';
import { recordAudit } from '../platform/audit/index.ts';
import * as store from './deliveries-store.ts';
import { type EndpointRow, findEndpoint, lockPaused } from './endpoints-store.ts';
import { type DeliveryNote, recordSubscribed } from './events.ts';
import { waitForResume } from './paused.ts';
import { type Delivery, type DeliveryQuery, type DeliveryWithPayload, webhookLimits } from './schema.ts';
import { attemptView, deliveryView } from './view.ts';

export interface DeliveriesService {
  list(principal: Principal, endpointId: string, query: DeliveryQuery): Promise<Page<Delivery>>;
  get(principal: Principal, endpointId: string, id: string): Promise<DeliveryWithPayload>;
  listAttempts(
    principal: Principal,
    endpointId: string,
    id: string,
    query: { cursor?: string; limit?: number },
  ): Promise<Page<ReturnType<typeof attemptView>>>;
  retry(principal: Principal, endpointId: string, id: string): Promise<Delivery>;
  sendTest(principal: Principal, endpointId: string): Promise<Delivery>;
  /** Returns the number of deliveries that are retried. */
  recover(principal: Principal, endpointId: string, since: Date): Promise<number>;
  /** Ends the deliveries that wait. Returns their number. */
  discardPending(caller: Caller, endpointId: string): Promise<number>;
}

const forced: DeliveryNote = { forced: true };
/** Recovered deliveries become ready in slices, so that an endpoint that has just recovered is not overloaded. */
const recoverySlice = 100;
const recoveryPauseMs = 1_000;
const discardSlice = 1_000;

export function createDeliveriesService({
  pool,
  listReads,
  queue,
  clock,
}: Pick<Deps, 'pool' | 'listReads' | 'queue' | 'clock'>): DeliveriesService {
  /** The response shows the delivery as queued: after the commit a worker may already hold it. */
  async function queueing(
    principal: Principal,
    endpointId: string,
    work: (tx: Sql) => Promise<string>,
  ): Promise<Delivery> {
    const row = await transaction(pool, async (tx) => getDelivery(tx, principal, endpointId, await work(tx)));
    queue.ring('webhook_delivery');
    return deliveryView(row);
  }

  return {
    async list(principal, endpointId, query) {
      await getEndpoint(pool, principal, endpointId);
      const list = `webhook_deliveries:${endpointId}`;
      const page = pageRequest(list, query);
      const { rows, scannedTo } = await listReads.read(principal.id, (sql) =>
        store.listDeliveries(sql, endpointId, query, page),
      );
      const { data, next_cursor } = pageOf(list, rows, page.limit, scannedTo);
      return { data: data.map(deliveryView), next_cursor };
    },

    async get(principal, endpointId, id) {
      const row = await getDelivery(pool, principal, endpointId, id);
      return { ...deliveryView(row), payload: JSON.parse(row.body) };
    },

    async listAttempts(principal, endpointId, id, query) {
      await getDelivery(pool, principal, endpointId, id);
      const list = `webhook_attempts:${id}`;
      const page = pageRequest(list, query);
      const before = page.before === null ? 2_147_483_647 : numberOf(page.before);
      const rows = await listReads.read(principal.id, (sql) =>
        store.listAttempts(sql, id, before, page.limit + 1),
      );
      const paged = pageOf(
        list,
        rows.map((row) => ({ ...row, id: cursorId(row.number) })),
        page.limit,
      );
      return { data: paged.data.map(attemptView), next_cursor: paged.next_cursor };
    },

    async retry(principal, endpointId, id) {
      const { environmentId } = principal;
      await getCallable(pool, principal, endpointId);
      return queueing(principal, endpointId, async (tx) => {
        const delivery = await store.lockDelivery(tx, environmentId, endpointId, id);
        if (!delivery) throw notFound('webhook delivery');
        // A delivery that waits for its next attempt is taken out of the queue; one that a worker holds cannot be.
        if (delivery.status === 'pending' && !(await queue.withdraw(tx, 'webhook_delivery', id))) {
          throw new Problem('delivery_in_flight', 'An attempt is in progress.');
        }
        await store.reopenDeliveries(tx, [id]);
        await queue.enqueue(tx, [
          { kind: 'webhook_delivery', id, lane: 'normal', environmentId, note: forced },
        ]);
        return id;
      });
    },

    async sendTest(principal, endpointId) {
      const { environmentId } = principal;
      await getCallable(pool, principal, endpointId);
      const event = {
        environmentId,
        type: 'webhook.test',
        data: { endpoint_id: endpointId, message: 'This is a test. Your endpoint receives events.' },
      };
      return queueing(principal, endpointId, async (tx) => {
        const [id = ''] = await recordSubscribed(tx, queue, [{ event, endpointIds: [endpointId] }], forced);
        return id;
      });
    },

    async recover(principal, endpointId, since) {
      const endpoint = await getCallable(pool, principal, endpointId);
      const count = await transaction(pool, (tx) => recoverDeliveries(tx, { queue, clock }, endpoint, since));
      queue.ring('webhook_delivery');
      return count;
    },

    async discardPending(caller, endpointId) {
      const endpoint = await getEndpoint(pool, caller.principal, endpointId);
      return transaction(pool, (tx) => discardDeliveries(tx, queue, caller, endpoint));
    },
  };
}

async function getEndpoint(pool: Sql, { environmentId }: Principal, id: string): Promise<EndpointRow> {
  const row = await findEndpoint(pool, environmentId, id);
  if (!row) throw notFound('webhook endpoint');
  return row;
}

/** For what makes calls: an endpoint that its owner disabled gets none. */
async function getCallable(pool: Sql, principal: Principal, id: string): Promise<EndpointRow> {
  const row = await getEndpoint(pool, principal, id);
  if (row.status === 'disabled')
    throw new Problem('endpoint_disabled', 'This endpoint is disabled; set its status to active first.');
  return row;
}

async function getDelivery(sql: Sql, { environmentId }: Principal, endpointId: string, id: string) {
  const row = await store.findDelivery(sql, environmentId, endpointId, id);
  if (!row) throw notFound('webhook delivery');
  return row;
}

async function recoverDeliveries(
  tx: Sql,
  { queue, clock }: Pick<Deps, 'queue' | 'clock'>,
  { id: endpointId, environment_id: environmentId, status }: EndpointRow,
  since: Date,
): Promise<number> {
  // Forced only past a disabled endpoint: a pause that comes meanwhile stops the recovery.
  const note = status === 'auto_disabled' ? forced : null;
  const paused = (await lockPaused(tx, [endpointId])).size > 0;
  let queued = 0;
  const requeue = async (ids: string[]): Promise<void> => {
    const runAt = new Date(clock() + Math.floor(queued / recoverySlice) * recoveryPauseMs);
    await queue.postpone(
      tx,
      ids.map((id) =>
        paused
          ? waitForResume({ id, environmentId, endpointId })
          : { kind: 'webhook_delivery', id, lane: 'normal', environmentId, note, runAt },
      ),
    );
    queued += ids.length;
  };
  // Pending ones first: afterwards the failed ones are pending too. Those of a paused endpoint wait for it.
  if (!paused)
    await inSlicesOf(
      recoverySlice,
      lowestIdAt(since.getTime()),
      (after, limit) => store.lockPendingDeliveries(tx, environmentId, endpointId, after, limit),
      async (ids) => {
        const withdrawn = await queue.withdrawMany(tx, 'webhook_delivery', ids);
        await store.reopenDeliveries(tx, withdrawn);
        await requeue(withdrawn);
      },
    );
  await inSlicesOf(
    recoverySlice,
    firstId,
    (after, limit) => store.reopenFailed(tx, environmentId, endpointId, since, after, limit),
    requeue,
  );
  return queued;
}

async function discardDeliveries(
  tx: Sql,
  queue: Deps['queue'],
  caller: Caller,
  { id: endpointId, environment_id: environmentId }: EndpointRow,
): Promise<number> {
  let discarded = 0;
  await inSlicesOf(
    discardSlice,
    firstId,
    (after, limit) => store.lockPendingDeliveries(tx, environmentId, endpointId, after, limit),
    async (ids) => {
      const withdrawn = await queue.withdrawMany(tx, 'webhook_delivery', ids);
      await store.discardDeliveries(tx, withdrawn);
      discarded += withdrawn.length;
    },
  );
  if (discarded > 0)
    await recordAudit(tx, caller, {
      action: 'webhook_endpoint.deliveries_discarded',
      target: `webhook_endpoint:${endpointId}`,
      after: { count: discarded },
    });
  return discarded;
}

/** Works on ids in slices, each after the last id of the one before, until none are left or one call has done its share. */
async function inSlicesOf(
  size: number,
  after: string,
  next: (after: string, limit: number) => Promise<string[]>,
  work: (ids: string[]) => Promise<void>,
): Promise<void> {
  let last = after;
  for (let seen = 0; seen < webhookLimits.deliveriesPerCall; ) {
    const ids = await next(last, Math.min(size, webhookLimits.deliveriesPerCall - seen));
    if (ids.length > 0) await work(ids);
    seen += ids.length;
    last = ids.at(-1) ?? last;
    if (ids.length < size) return;
  }
}

/** Encodes the number of an attempt as a UUID, because cursors are ids. */
function cursorId(number: number): string {
  return `00000000-0000-0000-0000-${number.toString(16).padStart(12, '0')}`;
}

function numberOf(id: string): number {
  return Math.min(Number.parseInt(id.slice(-12), 16), 2_147_483_647);
}
