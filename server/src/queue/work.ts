/** The vocabulary of the queue: what a piece of work is. */

/** Kinds of work, by the number stored in the database. Numbers are for ever; jobs.ts names the handler of each. */
export const workKinds = {
  notification: 1,
  receipt: 2,
  webhook_delivery: 3,
  erasure: 4,
  run: 5,
  wake: 6,
} as const;
export type WorkKind = keyof typeof workKinds;

/** Lanes are strict: a critical send passes everything that waits in the others. */
export const lanes = { critical: 0, normal: 1, bulk: 2 } as const;
export type Lane = keyof typeof lanes;

/** One piece of work, named by the id of what it is about. The note is the handler's own memory. */
export interface Work {
  kind: WorkKind;
  id: string;
  lane: Lane;
  environmentId: string;
  note?: unknown;
}

/** What postponed work waits for besides its time, by the name that `wake` is given. */
export interface Wait {
  name: string;
  /** When the try began that made it wait: what was mended after that, it does not know of. */
  since: Date;
}

/** Work that becomes ready at a time, or sooner when what it waits for is mended. */
export interface PostponedWork extends Work {
  runAt: Date;
  wait?: Wait | null | undefined;
}

/** Work that this process holds. */
export interface Claim {
  kind: WorkKind;
  id: string;
  lane: Lane;
  environmentId: string;
  /** What `begin` wrote before a worker died, or `postpone` left; null on a first claim. */
  note: unknown;
  leasedAt: Date;
  /** The place where it was parked, which has room now; null: it was not parked. */
  unparkedFrom: string | null;
}

const kindNames = Object.keys(workKinds) as WorkKind[];
const laneNames = Object.keys(lanes) as Lane[];

export function kindOf(number: number): WorkKind {
  const name = kindNames.find((candidate) => workKinds[candidate] === number);
  if (!name) throw new Error(`no kind of work has the number ${number}`);
  return name;
}

export function laneOf(number: number): Lane {
  return laneNames[number] ?? 'bulk';
}
