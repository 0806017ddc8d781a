import { type Audit, settled } from './audit.ts';
import { startFleet } from './fleet.ts';
import { startLetters } from './letters.ts';
import { type StormOptions, type StormReport, storm } from './storm.ts';

export interface TrialReport extends Audit, StormReport {
  /** Requests that had to be repeated, and answers that no caller should have got. */
  repeats: number;
  surprises: string[];
  /** Processes that ended without having been killed. */
  unexpectedEnds: string[];
}

/** Letters and killing at once, then peace until everything has come to an end, then the reckoning. */
export async function runTrial(options: Omit<StormOptions, 'afterKills'>): Promise<TrialReport> {
  const fleet = await startFleet();
  const letters = await startLetters(fleet, 10);
  try {
    const stormed = await storm(fleet, { ...options, afterKills: letters.load.stop });
    await settled(fleet);
    return {
      ...stormed,
      ...(await letters.audit()),
      repeats: letters.load.repeats(),
      surprises: letters.load.surprises,
      unexpectedEnds: fleet.unexpectedEnds(),
    };
  } finally {
    await fleet.stop();
    await letters.close();
  }
}
