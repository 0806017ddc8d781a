import { TimeoutError } from './errors.ts';
import type { WorkflowRun } from './generated/types.ts';
import { checkedNumber, pause, type RequestOptions, within } from './transport.ts';

export interface WaitOptions extends Omit<RequestOptions, 'timeout_ms'> {
  /** How long to wait for the end of the run, retries included. Ten minutes unless told; runs may take days. */
  timeout_ms?: number | undefined;
  /** The longest pause between two looks. Default: 5,000. */
  poll_interval_ms?: number | undefined;
}

export interface Waiting {
  /**
   * Waits until a run has completed, failed or been cancelled, and resolves to it with its steps. Throws a TimeoutError when
   * it takes longer than `timeout_ms`; the run goes on.
   */
  waitForCompletion(runId: string, options?: WaitOptions): Promise<WorkflowRun>;
}

const ends: readonly string[] = ['completed', 'failed', 'cancelled'];

export function createWaiting(
  getRun: (runId: string, options: RequestOptions) => Promise<WorkflowRun>,
): Waiting {
  return {
    async waitForCompletion(
      runId,
      { timeout_ms = 600_000, poll_interval_ms = 5000, signal: given, ...options } = {},
    ) {
      checkedNumber(poll_interval_ms, 'poll_interval_ms', 1);
      const endsAtMs = Date.now() + checkedNumber(timeout_ms, 'timeout_ms', 1);
      let status = 'unknown';
      const late = () => new TimeoutError(`Run ${runId} is still ${status} after ${timeout_ms} ms.`);
      return within(timeout_ms, late, given, async (signal) => {
        for (let waitMs = 200; ; waitMs = Math.min(poll_interval_ms, waitMs * 1.5)) {
          const run = await getRun(runId, { ...options, signal });
          status = run.status;
          if (ends.includes(status)) return run;
          // More often towards the deadline, so that a run that ends shortly before is seen: after it nobody looks.
          await pause(Math.min(waitMs, Math.max(200, (endsAtMs - Date.now()) / 2)), signal);
        }
      });
    },
  };
}
