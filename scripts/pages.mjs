// The dashboard and the widgets: what a start installs and builds beside the service, in a process of its own, so that sends do not
// wait for pages. Meanwhile the service answers their addresses with how far this is, which it reads from a file.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDashboard, isDashboardFresh } from './build-dashboard.mjs';
import { areWidgetsFresh, ensureWidgets } from './build-widgets.mjs';
import { countPackages, ensureInstalled, interruptions } from './install.mjs';
import { withLock } from './lock.mjs';
import { dist, isProgram, run } from './setup.mjs';

/** server/src/features/platform/static-files/progress.ts reads it. */
const progressFile = join(dist, '.pages.json');

export const arePagesFresh = () => isDashboardFresh() && areWidgetsFresh();

/** Before the service starts: from its first answer on it knows that the pages are coming. */
export function announcePages() {
  note({ state: 'installing' });
}

/** Resolves when they are there, or when it is said why not. */
export async function completePages() {
  const began = Date.now();
  console.log('setting up the dashboard in the background; its page shows how far that is…');
  // Whatever happens here, the service goes on.
  const code = await run(process.execPath, [import.meta.filename]).catch(({ message }) => {
    console.error(message);
    return 1;
  });
  if (code === 0) console.log(`the dashboard is ready (after ${Math.round((Date.now() - began) / 1000)} s)`);
  if (code === 0 || interruptions.includes(code)) return;
  note({ state: 'failed' });
  console.error(
    'The dashboard could not be set up; the reason is above. The service keeps running. To try again, run: npm run build',
  );
}

function note(progress) {
  const staging = `${progressFile}.${process.pid}`;
  try {
    writeFileSync(staging, JSON.stringify(progress));
    renameSync(staging, progressFile); // the service never reads half of it
  } catch {
    // A disk that is full or cannot be written to: the page says less.
  }
}

async function setUp() {
  await ensureInstalled({
    share: 'pages',
    onTick: () => note({ state: 'installing', ...countPackages() }),
  });
  note({ state: 'building' });
  await ensureWidgets();
  await ensureDashboard();
  rmSync(progressFile, { force: true });
}

if (isProgram(import.meta.filename)) {
  try {
    // Of two starts at once, one sets up the pages of both.
    await withLock(join(dist, '.pages-lock'), () => {}, setUp);
  } catch (error) {
    if (error.wasInterrupted === undefined && error.code === undefined) throw error; // a bug
    console.error(error.message);
    process.exitCode = error.wasInterrupted ? interruptions[0] : 1;
  }
}
