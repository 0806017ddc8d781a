// `npm run generate`: writes what is derived from the code (openapi.json, docs/config.md, docs/errors.md, the schema dump).
// With --check: writes nothing, and fails when one of them is not what it would be.
import { runTypeScript } from './run-typescript.mjs';

process.exitCode = await runTypeScript('server/src/generate.ts', process.argv.slice(2));
