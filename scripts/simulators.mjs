// `npm run simulators`: every provider that Carillon speaks to, simulated on this machine. Ctrl-C stops them.
import { runTypeScript } from './run-typescript.mjs';

process.exitCode = await runTypeScript('server/test/simulators/main.ts', process.argv.slice(2));
