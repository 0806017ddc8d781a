import { readFileSync } from 'node:fs';

/** What `npm start` writes while it sets up the pages beside the service (scripts/pages.mjs). */
type Progress =
  | { state: 'installing'; installed?: number; packages?: number }
  | { state: 'building' }
  | { state: 'failed' };

/** Says in two sentences how far pages are that are not there yet, and whether waiting helps. */
export function describeProgress(subject: string, folders: readonly URL[]): string {
  const progress = readProgress(folders);
  const unaffected = 'Sends and the API are not affected.';
  switch (progress?.state) {
    case 'installing':
      return `${subject} being installed${countOf(progress)}. ${unaffected}`;
    case 'building':
      return `${subject} being built. ${unaffected}`;
    case 'failed':
      return `${subject} missing: the setup failed, and the output of the service says why. ${unaffected} To try again, run: npm run build`;
    case undefined:
      return `${subject} not built. ${unaffected} To build, run: npm run build`;
  }
}

function countOf({ installed = 0, packages = 0 }: { installed?: number; packages?: number }): string {
  // Before npm has made the folders of what it will install, all packages that there are have been installed.
  return installed < packages ? ` (${installed} of ${packages} packages)` : '';
}

/** `folders` are the places of the built files: the note is beside them. */
function readProgress(folders: readonly URL[]): Progress | null {
  for (const folder of folders) {
    try {
      return JSON.parse(readFileSync(new URL('../.pages.json', folder), 'utf8'));
    } catch {
      // There is none: nothing is being set up.
    }
  }
  return null;
}
