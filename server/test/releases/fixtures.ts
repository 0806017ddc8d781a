import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Answers } from './answers.ts';
import type { Unfinished } from './traffic.ts';

const folder = new URL('../fixtures/releases/', import.meta.url);

interface ReleaseFixture {
  /** The database as SQL. */
  dump: string;
  unfinished: Unfinished;
  /** Everything that the release answered when it was asked for what it stores. */
  answers: Answers;
}

/** The releases that have a dump, oldest first. */
export function releases(): string[] {
  return readdirSync(folder).sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
}

export function fixtureFile(release: string, name: string): string {
  return fileURLToPath(new URL(`${release}/${name}`, folder));
}

export function readRelease(release: string): ReleaseFixture {
  const read = (name: string): string => gunzipSync(readFileSync(fixtureFile(release, name))).toString();
  return { dump: read('database.sql.gz'), ...JSON.parse(read('answers.json.gz')) };
}
