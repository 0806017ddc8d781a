// `npm start`: install and build when needed, then become the service.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { refuseUnknown, startOptions } from './options.mjs';
import { announcePages, arePagesFresh, completePages } from './pages.mjs';
import { dist } from './setup.mjs';

const [option] = process.argv.slice(2);
if (option !== undefined) refuseUnknown([option], startOptions);
await ensureInstalled({ share: 'service' });
await ensureBuilt();
const lacksPages = option === undefined && !arePagesFresh();
if (lacksPages) announcePages();

process.env.NODE_ENV ??= 'production';
process.setSourceMapsEnabled(true);
// In this very process, not in a child: signals need no forwarding, the exit code is the service's own, and no second Node
// sits in memory only to wait for the first.
await import(pathToFileURL(join(dist, 'main.js')).href);
// Once the service is ready, which needs both processors until then.
if (lacksPages) await completePages();
