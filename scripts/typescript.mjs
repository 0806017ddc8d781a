// `node --import ./scripts/typescript.mjs file.ts` runs TypeScript without a build: types are stripped as files load.
// For tools, benchmarks and the demo; the service itself runs from its bundle. fork() hands it on to children.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
