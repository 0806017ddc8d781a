// `npm run demo`: sends a few notifications through the sandbox and prints their timelines.
import { checkSwitches } from './options.mjs';
import { runTypeScript } from './run-typescript.mjs';

checkSwitches('npm run demo', 'sends a few notifications through the sandbox and prints their timelines');
process.exitCode = await runTypeScript('server/src/demo/demo.ts', []);
