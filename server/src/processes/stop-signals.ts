import { isNpx } from './invocation.ts';

const parent = process.ppid;
const parentCheckMs = 500;

interface StopOptions {
  /** Finishes the work in progress. The process exits afterwards. */
  stop: () => Promise<unknown>;
  /** Ends what would outlive a process that exits at once. */
  stopNow?: () => void;
  isSilent: boolean;
}

/** Stops gracefully at the first signal and immediately at the second. Returns the handler, and whether a stop has begun. */
export function handleStopSignals({ stop, stopNow = () => {}, isSilent }: StopOptions): {
  stopFor(signal: string): Promise<void>;
  isStopping(): boolean;
} {
  let stoppingSince: number | null = null;
  const stopFor = async (signal: string): Promise<void> => {
    if (stoppingSince !== null) {
      // Under `npm start` one signal arrives twice: sent to the whole process group, and forwarded by npm a moment later.
      if (Date.now() - stoppingSince < 1000) return;
      console.error('Stopping immediately.');
      stopNow();
      process.exit(1);
    }
    stoppingSince = Date.now();
    if (!isSilent) console.log(`\n${signal}: finishing work in progress (repeat to stop immediately)…`);
    await stop();
    process.exit(process.exitCode ?? 0);
  };
  process.on('SIGINT', () => void stopFor('SIGINT'));
  process.on('SIGTERM', () => void stopFor('SIGTERM'));
  // npx runs the service below a shell. A signal that is sent to npx alone ends npx and the shell, and nothing else.
  const stopWithNpx = () => {
    if (process.ppid !== parent && stoppingSince === null) void stopFor('SIGTERM');
  };
  if (isNpx) setInterval(stopWithNpx, parentCheckMs).unref();
  return { stopFor, isStopping: () => stoppingSince !== null };
}
