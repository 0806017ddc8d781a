// `npm start`: install and build when needed, then become the service.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { dist, ensureInstalled } from './setup.mjs';

await ensureInstalled();
await ensureBuilt();

process.env.NODE_ENV ??= 'production';
process.setSourceMapsEnabled(true);
// In this very process, not in a child: signals need no forwarding, the exit code is the service's own, and no second Node
// sits in memory only to wait for the first.
await import(pathToFileURL(join(dist, 'main.js')).href);
