import { Script } from 'node:vm';
import { vi } from 'vitest';

/**
 * Lets the next script run to its end and then reports a timeout, as Node does when the thread that watches the clock gets the
 * processor too late to be stopped.
 */
export function reportTimeoutOfNextScript(): void {
  const spy = vi.spyOn(Script.prototype, 'runInContext');
  spy.mockImplementationOnce(function (this: Script, ...given) {
    spy.mockRestore();
    this.runInContext(...given);
    throw Object.assign(new Error('timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
  });
}
