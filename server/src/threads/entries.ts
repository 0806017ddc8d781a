import type { ThreadEntry } from './start.ts';

/** Table: the entry files of threads. `scripts/build.mjs` bundles each beside main.js. */
const files = { heartbeat: '../queue/heartbeat-thread', tasks: './task-thread' } as const;

export type ThreadEntries = Record<keyof typeof files, ThreadEntry>;

const isSource = import.meta.url.endsWith('.ts');

/** In the bundle all files are in one folder; from sources a thread needs the same loader as the program. */
function entryOf(path: string): ThreadEntry {
  if (isSource)
    return {
      url: new URL(`${path}.ts`, import.meta.url),
      execArgv: ['--import', new URL('../../../scripts/typescript.mjs', import.meta.url).href],
    };
  return { url: new URL(`./${path.split('/').pop()}.js`, import.meta.url), execArgv: [] };
}

export const threadEntries: ThreadEntries = {
  heartbeat: entryOf(files.heartbeat),
  tasks: entryOf(files.tasks),
};
