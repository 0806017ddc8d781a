/** Why and since when a notification is held: the note on its work in the queue. */
export interface HoldNote {
  /** The key of the rule, or `freeze:CHANNEL`. */
  hold: string;
  since: number;
  expires: number;
  /** The rule delays: the work becomes due when the window may have room again. */
  delayed?: true;
  /** How often the window had no room when the work became due. */
  times?: number;
  /** Rules that the notification was released from before. */
  passes?: string[];
  /** The timeline says that the notification was released; it may wait for something else since. */
  released?: true;
}

/** A release writes its decision next to the note of the hold. */
export type HoldDecision = 'release' | 'cancel';

/** The part of a notification's lease note that the brake reads and writes; dispatch keeps it with its own. */
export interface BrakeNote {
  /** Set while the brake holds the notification. */
  held?: HoldNote;
  /** What a person decided about the hold. */
  decided?: HoldDecision;
  /** The limits have counted the notification, however many rounds it needs. */
  braked?: true;
}

/** The name that held work waits for in the queue. */
export const waitName = (hold: string): string => `${holdPrefix}${hold}`;
export const holdPrefix = 'hold:';

export const freezeHold = (channel: string): string => `freeze:${channel}`;

/** The channel of a freeze, `all` included; null when the hold is that of a rule. */
export function frozenChannel(hold: string): string | null {
  return hold.startsWith('freeze:') ? hold.slice('freeze:'.length) : null;
}
