import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartFolder, contextOf, manifestsOf, renderChart } from '../generate/chart.ts';
import { cases } from './chart-cases.ts';

/** Shows that our renderer makes the same objects as the templates of Go with the functions that Helm adds. */
const folder = mkdtempSync(join(tmpdir(), 'carillon-chart-'));
const program = join(folder, 'render');
const release = { name: 'acme', namespace: 'default', service: 'Helm' };
try {
  const source = fileURLToPath(new URL('render.go', import.meta.url));
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: '/usr/share/gocode',
    GOCACHE: join(folder, 'cache'),
  };
  execFileSync('go', ['build', '-o', program, source], { env, stdio: 'inherit' });
  for (const [name, values] of Object.entries(cases)) {
    const input = JSON.stringify(contextOf(release, values));
    const byGo = JSON.parse(execFileSync(program, [chartFolder], { input, encoding: 'utf8' }));
    const ours = renderChart(release, values);
    assert.deepEqual(manifestsOf(ours), manifestsOf(byGo), name);
    assert.equal(ours['NOTES.txt'], byGo['NOTES.txt'], name);
    console.log(`${name}: ${manifestsOf(byGo).length} objects, the same as by Go`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
