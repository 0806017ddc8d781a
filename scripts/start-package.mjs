// `npx @carillon/server`: the service as the package has it, already built. Bundled into server/dist/start.js.
import { refuseUnknown, startOptions } from './options.mjs';
import { requireNode } from './setup.mjs';

/** As in `npm start`: the young generation has room for objects that live as long as a commit takes. */
const flags = ['--max-semi-space-size=64', '--no-allocation-site-pretenuring'];

requireNode();
const [option] = process.argv.slice(2);
if (option !== undefined) refuseUnknown([option], startOptions);
process.env.NODE_ENV ??= 'production';

const missing = flags.filter((flag) => !process.execArgv.includes(flag));
if (missing.length > 0 && process.execve && process.platform !== 'win32') {
  // The heap of a running process cannot be given other limits. This process becomes one that has them, so that no second
  // Node sits in memory; `env -S` in the first line of the command would do it too, but Alpine's env does not know -S.
  process.execve(process.execPath, [
    process.execPath,
    ...process.execArgv,
    ...missing,
    ...process.argv.slice(1),
  ]);
}
// Node 20 and Windows cannot do that: there, the processes that a supervisor starts take the flags from here.
process.execArgv.push(...missing);
process.setSourceMapsEnabled(true);
await import(new URL('./main.js', import.meta.url).href);
