import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { version } from '../../server/src/kernel/version.ts';
import { manifestsOf, renderChart, text } from './chart.ts';
import { grafanaDashboard, json } from './dashboard.ts';
import { valuesSchema } from './values-schema.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** In this order: later files are made from earlier ones. Helm reads no file outside of the chart, so it has copies. */
const files: Record<string, () => string> = {
  'helm/Chart.yaml': () =>
    read('helm/Chart.yaml')
      .replace(/^version: .*$/m, `version: ${version}`)
      .replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
  'helm/values.schema.json': () => json(valuesSchema(parse(text('values.yaml')))),
  'monitoring/grafana-dashboard.json': grafanaDashboard,
  'helm/files/grafana-dashboard.json': grafanaDashboard,
  'helm/files/prometheus-rules.yaml': () => read('monitoring/prometheus-rules.yaml'),
  'kubernetes/carillon.yaml': plainManifests,
  ...Object.fromEntries(
    ['kubernetes/single.yaml', '../compose.yaml', '../compose.scale.yaml', '../Dockerfile'].map((name) => [
      name,
      () => withVersion(read(name)),
    ]),
  ),
};

/** Files that name the image of the release. */
function withVersion(source: string): string {
  return source
    .replaceAll(/(?<=\/carillon\/carillon:)[\w.-]+/g, version)
    .replace(/(?<=^ARG VERSION=).*$/m, version);
}

/** The chart with its default values, for those who do not use Helm. */
function plainManifests(): string {
  const release = { name: 'carillon', namespace: 'default', service: 'kubectl' };
  const objects = manifestsOf(renderChart(release)).map((object) => stringify(object, { lineWidth: 0 }));
  return `# Generated from deploy/helm: npm run generate. Requires a Secret named carillon: see README.md.\n${objects.join('---\n')}`;
}

const check = process.argv.includes('--check');
for (const [name, make] of Object.entries(files)) {
  const wanted = make();
  if (wanted === readOrEmpty(name)) continue;
  console.log(
    check ? `${join('deploy', name)} is out of date: run npm run generate` : `wrote ${join('deploy', name)}`,
  );
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
