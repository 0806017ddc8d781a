import { type Audit, settled } from './audit.ts';
import { type KillOptions, type KillReport, killProcesses } from './kills.ts';
import { startMessages } from './messages.ts';
import { startProcesses } from './processes.ts';

interface TrialReport extends Audit, KillReport {
  /** Requests that had to be repeated, and answers that no caller should have got. */
  repeats: number;
  surprises: string[];
  /** Processes that ended without having been killed. */
  unexpectedEnds: string[];
}

/** Messages and kills at once, then peace until everything has come to an end, then the reckoning. */
export async function runTrial(options: Omit<KillOptions, 'afterKills'>): Promise<TrialReport> {
  const processes = await startProcesses();
  const messages = await startMessages(processes, 10);
  try {
    const killed = await killProcesses(processes, { ...options, afterKills: messages.load.stop });
    await settled(processes);
    return {
      ...killed,
      ...(await messages.audit()),
      repeats: messages.load.repeats(),
      surprises: messages.load.surprises,
      unexpectedEnds: processes.unexpectedEnds(),
    };
  } finally {
    await processes.stop();
    await messages.close();
  }
}
