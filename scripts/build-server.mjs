// The package @carillon/server: the service with the dashboard, the widgets, the guides if `npm run docs` has built them, and the
// licences of all that is bundled. `npm pack` runs it too.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureDashboard } from './build-dashboard.mjs';
import { ensureWidgets } from './build-widgets.mjs';
import { ensureInstalled } from './install.mjs';
import { notedPackages, writeLicences } from './licences.mjs';
import { dist, isProgram } from './setup.mjs';

export async function buildServer() {
  await ensureBuilt();
  await ensureWidgets();
  await ensureDashboard();
  const bundles = [dist, join(dist, 'dashboard'), join(dist, 'widgets'), join(dist, 'guide')].filter(
    existsSync,
  );
  writeLicences(join(dist, 'THIRD-PARTY-LICENSES'), bundles.flatMap(notedPackages));
}

if (isProgram(import.meta.filename)) {
  await ensureInstalled();
  await buildServer();
}
