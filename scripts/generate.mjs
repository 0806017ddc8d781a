// `npm run generate`: writes what is derived from the code (openapi.json, docs/config.md, docs/errors.md, the forms of email
// providers, the schema and all named statements as SQL), from openapi.json the types and methods of the SDK, and from
// the Helm chart and the settings what deploy/ has of them.
// With --check: writes nothing, and fails when one of them is not what it would be.
import { runTypeScript } from './run-typescript.mjs';

const args = process.argv.slice(2);
const server = await runTypeScript('server/src/generate/generate.ts', args);
const sdk = await runTypeScript('sdk/generate/main.ts', args);
const deploy = await runTypeScript('deploy/generate/main.ts', args);
process.exitCode = server || sdk || deploy;
