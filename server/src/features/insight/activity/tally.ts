import type { Activity, ActivityOutcome } from '../../../deps.ts';

export const activityOutcomes = [
  'accepted',
  'sent',
  'delivered',
  'failed',
  'suppressed',
  'bounced',
  'complained',
  'retried',
] as const satisfies readonly ActivityOutcome[];

/** The notifications of one minute. */
export interface NotificationCell extends Record<ActivityOutcome, number> {
  environment_id: string;
  /** The beginning of the minute, in Unix milliseconds. */
  at: number;
  channel: string;
  latency: number[] | null;
}

/** The calls of one slot. */
interface CallCell {
  environment_id: string;
  endpoint_id: string;
  slot: number;
  succeeded: number;
  failed: number;
  latency: number[];
}

/** The triggers of one workflow in one slot. */
interface TriggerCell {
  workflow_id: string;
  slot: number;
  triggered: number;
}

export interface CountedActivity {
  notifications: NotificationCell[];
  calls: CallCell[];
  triggers: TriggerCell[];
}

interface Tally extends Omit<Activity, 'flush'> {
  /** The number of cells. */
  size(): number;
  /** Returns all counts and starts from zero. */
  take(): CountedActivity;
  /** Adds counts that could not be written to the current ones. */
  putBack(counted: CountedActivity): void;
}

const minuteMs = 60_000;
export const callSlotMs = 300_000;
const triggerSlotMs = 3_600_000;

const none: Record<(typeof activityOutcomes)[number], number> = {
  accepted: 0,
  sent: 0,
  delivered: 0,
  failed: 0,
  suppressed: 0,
  bounced: 0,
  complained: 0,
  retried: 0,
};

/** Adds up in memory. Beyond `maxCells` only existing cells are counted: bounded memory matters more than complete charts. */
export function createTally(clock: () => number, maxCells: number): Tally {
  let notifications = new Map<string, NotificationCell>();
  let calls = new Map<string, CallCell>();
  let triggers = new Map<string, TriggerCell>();
  // A second index of this minute's cells, read without building a key: the lookup happens several times for every
  // notification.
  let current = new Map<string, Map<string, NotificationCell>>();
  let currentMinute = 0;
  const size = (): number => notifications.size + calls.size + triggers.size;
  const startOf = (slotMs: number): number => Math.floor(clock() / slotMs) * slotMs;

  function notificationCell(
    environment_id: string,
    at: number,
    channel: string,
  ): NotificationCell | undefined {
    const key = `${environment_id} ${at} ${channel}`;
    let cell = notifications.get(key);
    if (!cell && size() < maxCells) {
      cell = { ...none, environment_id, at, channel, latency: null };
      notifications.set(key, cell);
    }
    return cell;
  }

  function cellOfNow(environmentId: string, channel: string): NotificationCell | undefined {
    const minute = startOf(minuteMs);
    if (minute !== currentMinute) {
      currentMinute = minute;
      current = new Map();
    }
    const known = current.get(environmentId)?.get(channel);
    if (known) return known;
    const cell = notificationCell(environmentId, minute, channel);
    if (!cell) return undefined;
    const ofEnvironment = current.get(environmentId) ?? new Map<string, NotificationCell>();
    current.set(environmentId, ofEnvironment.set(channel, cell));
    return cell;
  }

  function callCell(environment_id: string, endpoint_id: string, slot: number): CallCell | undefined {
    const key = `${endpoint_id} ${slot}`;
    let cell = calls.get(key);
    if (!cell && size() < maxCells) {
      cell = { environment_id, endpoint_id, slot, succeeded: 0, failed: 0, latency: noLatencies() };
      calls.set(key, cell);
    }
    return cell;
  }

  function triggerCell(workflow_id: string, slot: number): TriggerCell | undefined {
    const key = `${workflow_id} ${slot}`;
    let cell = triggers.get(key);
    if (!cell && size() < maxCells) {
      cell = { workflow_id, slot, triggered: 0 };
      triggers.set(key, cell);
    }
    return cell;
  }

  return {
    count(environmentId, channel, outcome) {
      const cell = cellOfNow(environmentId, channel);
      if (cell) cell[outcome] += 1;
    },
    took(environmentId, channel, latencyMs) {
      const cell = cellOfNow(environmentId, channel);
      if (!cell) return;
      cell.latency ??= noLatencies();
      addTo(cell.latency, latencyClassOf(latencyMs), 1);
    },
    called(environmentId, endpointId, succeeded, latencyMs) {
      const cell = callCell(environmentId, endpointId, startOf(callSlotMs));
      if (!cell) return;
      cell[succeeded ? 'succeeded' : 'failed'] += 1;
      addTo(cell.latency, latencyClassOf(latencyMs), 1);
    },
    triggered(workflowId) {
      const cell = triggerCell(workflowId, startOf(triggerSlotMs));
      if (cell) cell.triggered += 1;
    },
    size,
    take() {
      const counted = {
        notifications: [...notifications.values()],
        calls: [...calls.values()],
        triggers: [...triggers.values()],
      };
      notifications = new Map();
      calls = new Map();
      triggers = new Map();
      current = new Map();
      return counted;
    },
    putBack(counted) {
      for (const given of counted.notifications) {
        const cell = notificationCell(given.environment_id, given.at, given.channel);
        if (cell) addCell(cell, given);
      }
      for (const given of counted.calls) {
        const cell = callCell(given.environment_id, given.endpoint_id, given.slot);
        if (!cell) continue;
        cell.succeeded += given.succeeded;
        cell.failed += given.failed;
        cell.latency = sumOf(cell.latency, given.latency);
      }
      for (const given of counted.triggers) {
        const cell = triggerCell(given.workflow_id, given.slot);
        if (cell) cell.triggered += given.triggered;
      }
    },
  };
}

/** Merges the cells into longer steps. */
export function coarsened(cells: readonly NotificationCell[], stepMs: number): NotificationCell[] {
  const sums = new Map<string, NotificationCell>();
  for (const cell of cells) {
    const at = Math.floor(cell.at / stepMs) * stepMs;
    const key = `${cell.environment_id} ${at} ${cell.channel}`;
    const sum = sums.get(key);
    if (sum) addCell(sum, cell);
    else sums.set(key, { ...cell, at });
  }
  return [...sums.values()];
}

function addCell(cell: NotificationCell, given: NotificationCell): void {
  for (const outcome of activityOutcomes) cell[outcome] += given[outcome];
  if (given.latency) cell.latency = sumOf(cell.latency ?? noLatencies(), given.latency);
}

function noLatencies(): number[] {
  return new Array<number>(latencyClasses).fill(0);
}

function addTo(counts: number[], index: number, count: number): void {
  counts[index] = (counts[index] ?? 0) + count;
}

function sumOf(first: readonly number[], second: readonly number[]): number[] {
  return first.map((count, index) => count + (second[index] ?? 0));
}

/**
 * A histogram of durations, so that any number of them can be added up and still give percentiles. Classes are a factor of 1.3
 * to 2 wide, which is precise enough for a chart.
 */
const bounds = [
  5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 30_000,
  60_000, 300_000, 3_600_000,
] as const;

/** One more than the number of bounds: the last class has no upper bound. */
export const latencyClasses = bounds.length + 1;

export function latencyClassOf(ms: number): number {
  const index = bounds.findIndex((bound) => ms < bound);
  return index === -1 ? bounds.length : index;
}

/**
 * The duration below which this share of all durations lies, interpolated within its class; null when there are none. Beyond
 * the last bound the bound itself is returned.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count === 0 || below + count < share * total) {
      below += count;
      continue;
    }
    const low = bounds[index - 1] ?? 0;
    const high = bounds[index] ?? low;
    return Math.round(low + ((share * total - below) / count) * (high - low));
  }
  return bounds.at(-1) ?? null;
}
