import { textTask } from '../../../channels/email/text.ts';
import type { PushMessage, PushOutcome } from '../../../channels/in-app/push/contract.ts';
import { payloadOf } from '../../../channels/in-app/push/payload.ts';
import type { SandboxStore } from '../../../channels/sandbox/index.ts';
import { untilDatabaseAnswers } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { newId } from '../../../kernel/ids.ts';
import { storable } from '../../../kernel/storable.ts';
import type { Claim, Job } from '../../../queue/index.ts';
import { TaskStopped } from '../../../threads/task.ts';
import type { Brake } from '../../control/brake/index.ts';
import type { PushConnection, PushConnections } from '../../providers/connections/index.ts';
import { createLoopShare } from './loop-share.ts';
import { type DevicePush, decisionOf, nextAttempt, type PushNote, ringMessage, traceOf } from './ring.ts';
import {
  listDevicesOf,
  listEnvironments,
  listReturnedItems,
  listRingFacts,
  type RingFact,
} from './ring-store.ts';
import { openAddress } from './service.ts';
import { createPushWriter, itemIdOf, noPush, noteOf, type PushResult } from './writer.ts';

type JobDeps = Pick<Deps, 'pool' | 'queue' | 'clock' | 'config' | 'keyring' | 'tasks' | 'metrics' | 'log'> & {
  pushConnections: PushConnections;
  sandboxStore: SandboxStore;
  brake: Pick<Brake, 'load' | 'describeFreeze'>;
};

type RungDevice = Awaited<ReturnType<typeof listDevicesOf>>[number];

/** The input of a claim. */
interface PushFact {
  environmentId: string;
  isTest: boolean;
  externalUserId: string;
  /** The item that rings; null for a withdrawal, and when the item is read, archived or gone. */
  item: RingFact | null;
  /** The items that are withdrawn; null when the item rings. */
  withdrawn: string[] | null;
  devices: RungDevice[];
  connection: PushConnection;
}

const capacity = 400;
/** Devices of one user that are called at the same time. */
const maxDeviceCalls = 5;
/** All calls of one claim; each has its own deadline, too. */
const claimTimeoutMs = 120_000;

/**
 * The job that rings devices and withdraws pushes. It has leases of its own, and an environment holds at most 25 of them: however many
 * devices ring, other work goes on.
 */
export function createPushJob(deps: JobDeps): Job<PushFact> {
  const { pool, queue, clock } = deps;
  const tasks = deps.tasks.unlimited;
  const writer = createPushWriter(deps);
  const loopShare = createLoopShare();
  const concurrency = queue.concurrencyLimits('push', {
    total: capacity * 0.75, // the capacity of the normal lane
    maxConcurrent: 25,
    maxConcurrentWhenFailing: 10,
  });

  async function load(claims: Claim[]): Promise<Map<string, PushFact>> {
    const rings = claims.filter((claim) => !noteOf(claim).withdraw).map(itemIdOf);
    const withdrawn = claims.flatMap((claim) => noteOf(claim).withdraw?.ids ?? []);
    const [facts, environments, returned] = await Promise.all([
      rings.length === 0 ? [] : listRingFacts(pool, rings),
      listEnvironments(pool, [...new Set(claims.map(({ environmentId }) => environmentId))]),
      listReturnedItems(pool, withdrawn),
    ]);
    const items = new Map(facts.map((fact) => [fact.id, fact]));
    const owners = claims.flatMap((claim) => {
      const externalUserId =
        noteOf(claim).withdraw?.external_user_id ?? items.get(itemIdOf(claim))?.external_user_id;
      return externalUserId === undefined
        ? []
        : [{ claim, environmentId: claim.environmentId, externalUserId }];
    });
    const [devices, connections] = await Promise.all([
      listDevicesOf(pool, owners).then(byOwner),
      deps.pushConnections.connectionsFor(
        environments.map(({ id, kind, version }) => ({ id, kind, settingsVersion: version })),
      ),
      deps.brake.load(new Map(environments.map(({ id, kind }) => [id, kind]))),
    ]);
    const kinds = new Map(environments.map(({ id, kind }) => [id, kind]));
    return new Map(
      owners.map(({ claim, environmentId, externalUserId }) => {
        const { devices: left, withdraw } = noteOf(claim);
        const fact: PushFact = {
          environmentId,
          isTest: kinds.get(environmentId) === 'test',
          externalUserId,
          item: items.get(itemIdOf(claim)) ?? null,
          // A withdrawal that is late, because a device did not answer, would remove the ring of an item that is back.
          withdrawn: withdraw ? withdraw.ids.filter((id) => !returned.has(id)) : null,
          devices: (devices.get(ownerKey(environmentId, externalUserId)) ?? []).filter(
            ({ id }) => !left || left.includes(id),
          ),
          connection: connections.get(environmentId) ?? { senders: {}, problem: null },
        };
        return [claim.id, fact];
      }),
    );
  }

  async function run(claim: Claim, fact: PushFact | undefined): Promise<void> {
    // Work that was parked asks for its permit in any case: the next is unparked only then.
    const permit = await concurrency.acquire(claim, claim.environmentId);
    if (!permit) return;
    const isIdle =
      !fact || fact.devices.length === 0 || (fact.withdrawn ? fact.withdrawn.length === 0 : !fact.item);
    // A push that comes after the freeze is noise: the item is in the inbox.
    const isStoppable = !fact?.withdrawn && claim.lane !== 'critical';
    const frozen = isStoppable ? deps.brake.describeFreeze(claim.environmentId, 'in_app') : null;
    if (isIdle || frozen || fact.item?.is_open) {
      permit.release(true);
      if (isIdle) return writer.end(noPush(claim));
      const reason = decisionOf('not_rung', frozen ?? 'The inbox is open on a visible page.', clock());
      return writer.end(noPush(claim, [traceAddition(fact, itemIdOf(claim), [reason])]));
    }
    let answered = true;
    let result: PushResult;
    try {
      result = fact.withdrawn ? await withdrawFrom(claim, fact, fact.withdrawn) : await ring(claim, fact);
      answered = result.pushes.length === 0 || result.pushes.some(({ outcome }) => outcome.kind !== 'retry');
    } finally {
      permit.release(answered);
    }
    await writer.end(result);
  }

  async function ring(claim: Claim, fact: PushFact): Promise<PushResult> {
    const { item } = fact;
    if (!item) return noPush(claim);
    const message = ringMessage(item, await textOf(item), claim.lane);
    const startedAt = clock();
    const pushes = await pushTo(fact, message, item.id);
    return {
      ...resultOf(claim, pushes, startedAt),
      traces: [traceAddition(fact, item.id, pushes.map(traceOf))],
    };
  }

  async function withdrawFrom(claim: Claim, fact: PushFact, ids: string[]): Promise<PushResult> {
    if (fact.isTest) return noPush(claim); // the sandbox shows what was sent, and nothing is taken back from it
    const startedAt = clock();
    const pushes = await pushTo(fact, { type: 'withdraw', ids }, claim.id);
    const accepted = pushes.filter(({ outcome }) => outcome.kind === 'accepted').length;
    const detail = `Withdrawn from ${accepted} of ${pushes.length} devices: the item was read or archived.`;
    const entry = decisionOf('withdrawn', detail, clock());
    return {
      ...resultOf(claim, pushes, startedAt),
      traces: ids.map((id) => traceAddition(fact, id, [entry])),
    };
  }

  function resultOf(claim: Claim, pushes: DevicePush[], startedAt: number): Omit<PushResult, 'traces'> {
    const note = noteOf(claim);
    const next = nextAttempt(pushes, note.attempts ?? 0, {
      now: clock(),
      retryScale: deps.config.CARILLON_RETRY_SCALE,
      chance: Math.random(),
    });
    const nextNote: PushNote | null = next && { ...note, devices: next.devices, attempts: next.attempts };
    return { claim, pushes, startedAt, next: next && nextNote && { note: nextNote, runAt: next.runAt } };
  }

  /** Plain text: that of the item, or else that of its HTML. A text that cannot be made is no reason not to ring. */
  async function textOf({
    environment_id: owner,
    text_body: text,
    html_body: html,
  }: RingFact): Promise<string> {
    if (text !== null || html === null) return text ?? '';
    try {
      return await tasks.run(textTask, owner, html);
    } catch (error) {
      if (error instanceof TaskStopped) return '';
      throw error;
    }
  }

  async function pushTo(fact: PushFact, message: PushMessage, notificationId: string): Promise<DevicePush[]> {
    const pushes: DevicePush[] = [];
    const claimBegan = performance.now();
    const queued = fact.devices.values();
    const signal = AbortSignal.timeout(claimTimeoutMs);
    async function takeDevices(): Promise<void> {
      for (const device of queued) {
        await loopShare.acquire(claimBegan);
        const startedAt = performance.now();
        const outcome = fact.isTest
          ? await storeInSandbox(device, message, notificationId)
          : await call(fact, device, message, signal);
        deps.metrics.pushes.inc({ kind: device.kind, outcome: outcome.kind });
        pushes.push({ device, outcome, at: clock(), latencyMs: Math.round(performance.now() - startedAt) });
      }
    }
    await Promise.all(Array.from({ length: maxDeviceCalls }, takeDevices));
    return pushes;
  }

  async function call(
    { connection: { senders, problem } }: PushFact,
    device: RungDevice,
    message: PushMessage,
    signal: AbortSignal,
  ): Promise<PushOutcome> {
    const sender = senders[device.kind];
    if (!sender)
      return {
        kind: 'broken',
        detail: problem ?? `The push settings have no ${device.kind}.`,
        code: 'settings',
      };
    const address = openAddress(deps.keyring, device);
    if (!address)
      return { kind: 'broken', detail: 'The stored address cannot be decrypted.', code: 'encryption_key' };
    // What a service answers is stored: an outcome that cannot be would ring again without end.
    return storable(await sender.send(address, message, signal));
  }

  /** In a Test environment no push leaves the service. */
  async function storeInSandbox(
    { id, environment_id, external_user_id, kind, service }: RungDevice,
    message: PushMessage,
    notificationId: string,
  ): Promise<PushOutcome> {
    const row = {
      id: newId(clock()),
      environment_id,
      notification_id: notificationId,
      channel: 'in_app',
      provider: `${kind} ${id}`, // one message for each device
      recipient: external_user_id,
      payload: { device_id: id, kind, service, push: payloadOf(message) },
    };
    await untilDatabaseAnswers(() => deps.sandboxStore.add(JSON.stringify(row)));
    return { kind: 'accepted', detail: 'In Test, pushes end in the sandbox.', code: 'sandbox' };
  }

  return {
    batch: 10, // of up to 100 devices each
    capacity,
    load: (claims) => untilDatabaseAnswers(() => load(claims)),
    run,
  };
}

const ownerKey = (environmentId: string, externalUserId: string): string =>
  `${environmentId} ${externalUserId}`;

function byOwner(devices: RungDevice[]): Map<string, RungDevice[]> {
  const owned = new Map<string, RungDevice[]>();
  for (const device of devices) {
    const key = ownerKey(device.environment_id, device.external_user_id);
    const others = owned.get(key);
    if (others) others.push(device);
    else owned.set(key, [device]);
  }
  return owned;
}

function traceAddition(
  { environmentId }: PushFact,
  id: string,
  trace: PushResult['traces'][number]['trace'],
) {
  return { id, environment_id: environmentId, trace };
}
