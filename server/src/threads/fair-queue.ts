import { type Clock, steadyClock } from '../kernel/clock.ts';

/** `claims` is work that a worker has claimed, such as the rendering of a send; `requests` everything that a caller waits for. */
export type TaskLane = 'claims' | 'requests';
const lanes: readonly TaskLane[] = ['claims', 'requests'];

export interface QueuedTask<Item> {
  item: Item;
  lane: TaskLane;
  owner: string;
}

/**
 * Decides which waiting task begins next: that of the owner who has used the least processor time lately. Tasks are not
 * interrupted, so order alone would not do: threads are also kept free. Requests never hold the last thread, so a send waits for
 * no request; and owners who have used much lately hold at most all but one of the threads of a lane, so the tasks of a quiet
 * owner wait for no task of theirs. An owner has one running task in each lane.
 */
export interface FairQueue<Item> {
  add(lane: TaskLane, owner: string, item: Item): void;
  /** Takes the next task that may begin; null when none may. */
  take(): QueuedTask<Item> | null;
  /** A task that was taken has ended, and used this much processor time. */
  end(task: QueuedTask<Item>, usedMs: number): void;
  waiting(lane: TaskLane, owner: string): number;
  /** Takes everything that waits. */
  drain(): Item[];
}

/** Used time counts half after so long. */
const halfLifeMs = 10_000;
/** An owner who uses 7 % of a processor all the time reaches this. */
const heavyMs = 1_000;
/** Less than this is forgotten with its owner. */
const negligibleMs = 1;

interface TaskOwner<Item> {
  waiting: Record<TaskLane, Item[]>;
  isRunning: Record<TaskLane, boolean>;
  /** Processor time as of `usedAt`; it decays since. */
  usedMs: number;
  usedAt: number;
}

export function createFairQueue<Item>(threads: number, clock: Clock = steadyClock): FairQueue<Item> {
  const owners = new Map<string, TaskOwner<Item>>();
  const room: Record<TaskLane, number> = { claims: threads, requests: Math.max(1, threads - 1) };
  const running: Record<TaskLane, number> = { claims: 0, requests: 0 };

  const usedBy = ({ usedMs, usedAt }: TaskOwner<Item>): number =>
    usedMs * 0.5 ** ((clock() - usedAt) / halfLifeMs);

  const mayRun = (owner: TaskOwner<Item>, lane: TaskLane): boolean => {
    const limit = usedBy(owner) > heavyMs ? Math.max(1, room[lane] - 1) : room[lane];
    return !owner.isRunning[lane] && owner.waiting[lane].length > 0 && running[lane] < limit;
  };

  function ownerOf(name: string): TaskOwner<Item> {
    const known = owners.get(name);
    if (known) return known;
    const owner: TaskOwner<Item> = {
      waiting: { claims: [], requests: [] },
      isRunning: { claims: false, requests: false },
      usedMs: 0,
      usedAt: clock(),
    };
    owners.set(name, owner);
    return owner;
  }

  function forgetQuiet(): void {
    for (const [name, owner] of owners) {
      const isIdle = lanes.every((lane) => !owner.isRunning[lane] && owner.waiting[lane].length === 0);
      if (isIdle && usedBy(owner) < negligibleMs) owners.delete(name);
    }
  }

  return {
    add(lane, name, item) {
      ownerOf(name).waiting[lane].push(item);
    },
    take() {
      let least = Infinity;
      let next: { name: string; owner: TaskOwner<Item>; lane: TaskLane } | null = null;
      for (const [name, owner] of owners)
        for (const lane of lanes) {
          if (!mayRun(owner, lane)) continue;
          const used = usedBy(owner);
          if (used < least) [least, next] = [used, { name, owner, lane }];
        }
      if (!next) return null;
      const { name, owner, lane } = next;
      owner.isRunning[lane] = true;
      running[lane] += 1;
      return { item: owner.waiting[lane].shift() as Item, lane, owner: name };
    },
    end({ owner: name, lane }, usedMs) {
      const owner = ownerOf(name);
      Object.assign(owner, { usedMs: usedBy(owner) + usedMs, usedAt: clock() });
      owner.isRunning[lane] = false;
      running[lane] -= 1;
      forgetQuiet();
    },
    waiting: (lane, name) => owners.get(name)?.waiting[lane].length ?? 0,
    drain() {
      return [...owners.values()].flatMap((owner) => lanes.flatMap((lane) => owner.waiting[lane].splice(0)));
    },
  };
}
