// `npm run demo`: sends a few notifications through the sandbox and prints the life of each.
import { checkSwitches } from './options.mjs';
import { runTypeScript } from './run-typescript.mjs';

checkSwitches('npm run demo', 'sends a few notifications through the sandbox and prints the life of each');
process.exitCode = await runTypeScript('server/src/demo.ts', []);
