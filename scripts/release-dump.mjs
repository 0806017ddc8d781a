// `npm run release-dump`: starts this release, uses all of it, and keeps its database for the upgrade test of later releases.
// Arguments, both optional: a checkout of another release, and its name.
import { runTypeScript } from './run-typescript.mjs';

process.exitCode = await runTypeScript('server/test/releases/main.ts', process.argv.slice(2));
