import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import type { ThreadEntries } from '../../src/threads/start.ts';

/** How many threads this process has besides the main one: a test that leaves one behind has forgotten to stop something. */
export function openThreads(): number {
  return (process.report.getReport() as unknown as { workers: unknown[] }).workers.length;
}

/** The files of threads, bundled once for all tests: from sources a thread takes three times as long to start. */
export function bundledThreads(): ThreadEntries {
  const entry = (name: string) => ({
    url: new URL(`${name}.js`, pathToFileURL(`${inject('threads')}/`)),
    execArgv: [],
  });
  return { heartbeat: entry('heartbeat-thread'), tasks: entry('task-thread') };
}
