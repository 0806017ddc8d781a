import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grafanaDashboard } from './dashboard.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

const files: Record<string, () => string> = {
  'monitoring/grafana-dashboard.json': grafanaDashboard,
};

const check = process.argv.includes('--check');
for (const [name, make] of Object.entries(files)) {
  const wanted = make();
  if (wanted === readOrEmpty(name)) continue;
  console.log(check ? `deploy/${name} is out of date: run npm run generate` : `wrote deploy/${name}`);
  if (check) process.exitCode = 1;
  else writeFileSync(join(root, name), wanted);
}

function readOrEmpty(name: string): string {
  try {
    return read(name);
  } catch {
    return '';
  }
}
