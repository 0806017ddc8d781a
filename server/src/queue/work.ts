/** The types of the queue: a work item, its kind, its lane and its handler. */

/** Kinds of work, by the number stored in the database. A number never changes; jobs.ts names the handler of each kind. */
export const workKinds = {
  notification: 1,
  receipt: 2,
  webhook_delivery: 3,
  erasure: 4,
  run: 5,
  wake: 6,
  schedule: 8,
  brake_release: 10,
  bulk_action: 9,
  broadcast: 7,
  inbox_return: 12,
  push: 11,
  webhook_resume: 13,
} as const;
export type WorkKind = keyof typeof workKinds;

/** Lanes are strict: critical work overtakes all work that waits in the other lanes. */
export const lanes = { critical: 0, normal: 1, bulk: 2 } as const;
export type Lane = keyof typeof lanes;

/** One work item, named by the id of the row that it is about. The note belongs to the handler. */
export interface Work {
  kind: WorkKind;
  id: string;
  lane: Lane;
  environmentId: string;
  note?: unknown;
}

/** A row of work as SQL reads and writes it. */
export interface WorkRow {
  kind: number;
  id: string;
  lane: number;
  environment_id: string;
  note: unknown;
}

export const rowOf = (work: Work): WorkRow => ({
  kind: workKinds[work.kind],
  id: work.id,
  lane: lanes[work.lane],
  environment_id: work.environmentId,
  note: work.note ?? null,
});

/** The name that postponed work waits for besides its time; `wake` takes the same name. */
export interface Wait {
  name: string;
  /** Start of the attempt that made the work wait: a later repair is new to it. */
  since: Date;
}

/** Work that becomes ready at a time, or sooner when what it waits for is repaired. */
export interface PostponedWork extends Work {
  runAt: Date;
  wait?: Wait | null | undefined;
}

/** Work that this process has leased. */
export interface Claim {
  kind: WorkKind;
  id: string;
  lane: Lane;
  environmentId: string;
  /** The note that `begin` wrote before a worker died, or that `postpone` left; null on a first claim. */
  note: unknown;
  leasedAt: Date;
  /** The concurrency key under which the work was parked; null when it was not parked. */
  unparkedFrom: string | null;
}

/** The handler of one kind of work. `load` reads the input of a whole batch in a constant number of queries. */
export interface Job<Input = unknown> {
  /** Most items in one claim. */
  batch: number;
  /** Most items leased by this process. Bulk may use half of it and normal three quarters, so critical always finds room. */
  capacity: number;
  load(claims: Claim[]): Promise<Map<string, Input>>;
  /** Finishes or postpones the lease in the handler's own transaction. A throw is a bug: the item is snoozed. */
  run(claim: Claim, input: Input | undefined): Promise<void>;
  /** Called after `load` or `run` threw and the work was snoozed, to leave a trace that a tenant can read. */
  onFailed?(ids: string[]): Promise<void>;
  /** Called about twice a second. */
  tick?(): Promise<void>;
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
