// `npm start`: install and build when needed, then become the service.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { ensureDashboard, isDashboardFresh } from './build-dashboard.mjs';
import { refuseUnknown, startOptions } from './options.mjs';
import { dist, ensureInstalled } from './setup.mjs';

const [option] = process.argv.slice(2);
if (option !== undefined) refuseUnknown([option], startOptions);
await ensureInstalled();
await ensureBuilt();
// Beside the service, not before it: notifications do not wait for pages. Until it is there, its address says so.
if (option === undefined && !isDashboardFresh()) {
  console.log('building the dashboard in the background……');
  ensureDashboard().catch(({ message, wasInterrupted }) => {
    if (!wasInterrupted) console.error(`${message} The service keeps running.`);
  });
}

process.env.NODE_ENV ??= 'production';
process.setSourceMapsEnabled(true);
// In this very process, not in a child: signals need no forwarding, the exit code is the service's own, and no second Node
// sits in memory only to wait for the first.
await import(pathToFileURL(join(dist, 'main.js')).href);
