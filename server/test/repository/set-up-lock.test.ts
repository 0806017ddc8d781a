import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const lockModule = new URL('../../../scripts/lock.mjs', import.meta.url).href;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'set-up-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A process that takes the lock, writes that it has it, works for a moment, and writes that it is done. */
async function contend(name: string): Promise<void> {
  const program = `
    import { appendFileSync } from 'node:fs';
    import { withLock } from ${JSON.stringify(lockModule)};
    const write = (word) => appendFileSync(${JSON.stringify(join(folder, 'diary'))}, word + ' ${name}\\n');
    await withLock(${JSON.stringify(join(folder, 'lock'))}, () => {}, async () => {
      write('begins');
      await new Promise((resolve) => setTimeout(resolve, 30));
      write('ends');
    });`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
}

function diary(): string[] {
  return readFileSync(join(folder, 'diary'), 'utf8').trim().split('\n');
}

describe('two commands that set up at once', () => {
  it('take turns', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    await Promise.all(names.map(contend));
    const lines = diary();
    expect(lines).toHaveLength(names.length * 2);
    for (let turn = 0; turn < lines.length; turn += 2) {
      expect(lines[turn + 1]).toBe(lines[turn]?.replace('begins', 'ends'));
    }
  });

  it('do not wait for one that was killed', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(join(folder, 'lock'), String(dead));
    await Promise.all(['one', 'two'].map(contend));
    expect(diary()).toHaveLength(4);
  });

  it('do not wait for one whose heartbeat stopped, even if its number belongs to another process now', async () => {
    writeFileSync(join(folder, 'lock'), String(process.pid));
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(folder, 'lock'), longAgo, longAgo);
    await contend('one');
    expect(diary()).toEqual(['begins one', 'ends one']);
  });
});
