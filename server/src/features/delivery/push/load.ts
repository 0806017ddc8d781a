import type { Deps } from '../../../deps.ts';
import type { Claim } from '../../../queue/index.ts';
import type { Brake } from '../../control/brake/index.ts';
import { createDeviceSenders, type DeviceSender, type DeviceSenderDeps } from './device-senders.ts';
import {
  listDevicesOf,
  listEnvironments,
  listReturnedItems,
  listRingRows,
  type RingRow,
  type RungDevice,
} from './ring-store.ts';
import { itemIdOf, noteOf } from './writer.ts';

/** What the job needs to carry out a claim. */
export interface PushJobInput {
  environmentId: string;
  externalUserId: string;
  /** The item that rings; null for a withdrawal, and when the item is read, archived or gone. */
  item: RingRow | null;
  /** The items that are withdrawn; null when the item rings. */
  withdrawn: string[] | null;
  devices: RungDevice[];
  sender: DeviceSender;
}

export interface PushLoadDeps extends DeviceSenderDeps, Pick<Deps, 'pool'> {
  brake: Pick<Brake, 'load'>;
}

/** Loads the inputs of a batch of claims, with a constant number of queries. Claims without a user have none. */
export function createPushLoader(
  deps: PushLoadDeps,
): (claims: Claim[]) => Promise<Map<string, PushJobInput>> {
  const { pool, brake } = deps;
  const sendersFor = createDeviceSenders(deps);

  return async (claims) => {
    const rings = claims.filter((claim) => !noteOf(claim).withdraw).map(itemIdOf);
    const withdrawn = claims.flatMap((claim) => noteOf(claim).withdraw?.ids ?? []);
    const [rows, environments, returned] = await Promise.all([
      rings.length === 0 ? [] : listRingRows(pool, rings),
      listEnvironments(pool, [...new Set(claims.map(({ environmentId }) => environmentId))]),
      listReturnedItems(pool, withdrawn),
    ]);
    const items = new Map(rows.map((row) => [row.id, row]));
    const owners = claims.flatMap((claim) => {
      const externalUserId =
        noteOf(claim).withdraw?.external_user_id ?? items.get(itemIdOf(claim))?.external_user_id;
      return externalUserId === undefined
        ? []
        : [{ claim, environmentId: claim.environmentId, externalUserId }];
    });
    const [devices, senders] = await Promise.all([
      listDevicesOf(pool, owners).then(byOwner),
      sendersFor(environments),
      brake.load(new Map(environments.map(({ id, kind }) => [id, kind]))),
    ]);
    return new Map(
      owners.flatMap(({ claim, environmentId, externalUserId }) => {
        const sender = senders.get(environmentId);
        if (!sender) return []; // the environment is deleted, and its devices with it
        const { devices: left, withdraw } = noteOf(claim);
        const input: PushJobInput = {
          environmentId,
          externalUserId,
          item: items.get(itemIdOf(claim)) ?? null,
          // A withdrawal that is late, because a device did not answer, would remove the ring of an item that is back.
          withdrawn: withdraw ? withdraw.ids.filter((id) => !returned.has(id)) : null,
          devices: (devices.get(ownerKey(environmentId, externalUserId)) ?? []).filter(
            ({ id }) => !left || left.includes(id),
          ),
          sender,
        };
        return [[claim.id, input] as const];
      }),
    );
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
