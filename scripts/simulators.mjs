// `npm run simulators`: every provider that Carillon speaks to, simulated on this machine. Ctrl-C stops them.
import { checkSwitches } from './options.mjs';
import { runTypeScript } from './run-typescript.mjs';

checkSwitches('npm run simulators', 'local simulators of every provider', {
  '--free-ports': 'use any free ports instead of 8425 to 8444',
});
process.exitCode = await runTypeScript('server/test/simulators/main.ts', process.argv.slice(2));
