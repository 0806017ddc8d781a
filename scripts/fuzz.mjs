// `npm run fuzz -- --minutes 10 --seed 7`: searches for inputs that hold the event loop. server/test/fuzz says how.
import { runTypeScript } from './run-typescript.mjs';

process.exitCode = await runTypeScript('server/test/fuzz/main.ts', process.argv.slice(2));
