/** The default of PostgreSQL, and of the bundled one, without the connections that it reserves for superusers. */
const serverConnections = 97;
/** The doorbell and the heartbeat. The heartbeat opens more only while the server does not answer. */
const otherConnections = 2;
const fullSizes = { main: 12, claims: 3, housekeeping: 2 };
const smallSizes = { main: 4, claims: 2, housekeeping: 1 };

interface PoolSizes {
  main: number;
  claims: number;
  housekeeping: number;
}

/**
 * The connections of each process, so that all of them and one more (a rolling restart starts the new process before the old one
 * ends) fit a server with the default `max_connections`. Up to four processes have pools of full size.
 */
export function poolSizes(processes: number): PoolSizes {
  const share = Math.floor(serverConnections / (processes + 1)) - otherConnections;
  if (processes === 1 || share >= fullSizes.main + fullSizes.claims + fullSizes.housekeeping)
    return fullSizes;
  const { claims, housekeeping } = smallSizes;
  return { main: Math.max(share - claims - housekeeping, smallSizes.main), claims, housekeeping };
}

/** The number of connections that processes of this number may open, with a few for operator commands and backups. */
export function neededConnections(processes: number): number {
  const { main, claims, housekeeping } = poolSizes(processes);
  return (processes + 1) * (main + claims + housekeeping + otherConnections) + 7;
}

/**
 * The setting of connections whose writes pass the fence of a moving organization (migration 0030): those of the operator, and of
 * housekeeping, whose statements delete for all organizations at once. The objects of a moving organization are not deleted on either side.
 */
export const allowedByFence: Readonly<Record<string, string>> = { 'carillon.passes_fence': 'on' };
