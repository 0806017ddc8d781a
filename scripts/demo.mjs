// `npm run demo`: sends a few notifications through the sandbox and prints the life of each.
import { runTypeScript } from './run-typescript.mjs';

process.exitCode = await runTypeScript('server/src/demo.ts', process.argv.slice(2));
