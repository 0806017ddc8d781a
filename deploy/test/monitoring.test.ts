import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import type { Outcome } from '../../server/src/channels/contract.ts';
import { allRoutes } from '../../server/src/routes.ts';
import { startTestApp, type TestApp } from '../../server/test/harness/app.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}
const rules: Rule[] = parse(read('deploy/monitoring/prometheus-rules.yaml')).groups[0].rules;
const dashboard = JSON.parse(read('deploy/monitoring/grafana-dashboard.json'));
const queries: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
  targets.map(({ expr }) => expr),
);

/** What an expression asks for. Labels are those of its matchers; the rest of the labels are in `by` and `on`. */
interface Asked {
  metrics: { name: string; matchers: { label: string; values: string[] }[] }[];
  grouping: string[];
  hasErrors: boolean;
}

function askedBy(expression: string): Asked {
  const source = expression.replaceAll('$__rate_interval', '5m');
  const asked: Asked = { metrics: [], grouping: [], hasErrors: false };
  parser.parse(source).iterate({
    enter({ type, node, from, to }) {
      if (type.isError) asked.hasErrors = true;
      const text = source.slice(from, to);
      if (type.name === 'VectorSelector') {
        const name = node.getChild('Identifier');
        asked.metrics.push({ name: name ? source.slice(name.from, name.to) : '', matchers: [] });
      }
      if (type.name === 'UnquotedLabelMatcher') {
        const [, label = '', pattern = ''] = /^(\w+)\s*[!=~]+\s*"(.*)"$/.exec(text) ?? [];
        asked.metrics.at(-1)?.matchers.push({ label, values: pattern.split('|') });
      }
      if (type.name === 'LabelName' && node.parent?.name === 'GroupingLabels') asked.grouping.push(text);
    },
  });
  return asked;
}

/** Added by Prometheus or Kubernetes to what the service exposes. */
const addedLabels = ['job', 'instance', 'namespace', 'le'];

describe('the dashboard and the alerts', () => {
  let service: TestApp;
  let labelsOf: Map<string, string[]>;
  beforeAll(async () => {
    service = await startTestApp();
    const { status } = await service.request('GET', '/metrics', { key: null }); // the first scrape makes the gauges
    expect(status).toBe(200);
    const registered = service.deps.metrics.registry.getMetricsAsArray() as unknown as {
      name: string;
      labelNames: string[];
      type: string;
    }[];
    labelsOf = new Map(
      registered.flatMap(({ name, labelNames, type }) => {
        const names = type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name];
        return names.map((each): [string, string[]] => [each, labelNames]);
      }),
    );
  });
  afterAll(async () => {
    await service.stop();
  });

  it('are valid PromQL about metrics and labels that the service has', () => {
    expect(queries.length).toBeGreaterThan(20);
    for (const expression of [...queries, ...rules.map(({ expr }) => expr)]) {
      const { metrics, grouping, hasErrors } = askedBy(expression);
      expect(hasErrors, expression).toBe(false);
      expect(metrics.length, expression).toBeGreaterThan(0);
      for (const { name, matchers } of metrics) {
        expect([...labelsOf.keys()], expression).toContain(name);
        for (const { label } of matchers)
          expect([...(labelsOf.get(name) ?? []), ...addedLabels], expression).toContain(label);
      }
      const known = [...metrics.flatMap(({ name }) => labelsOf.get(name) ?? []), ...addedLabels];
      expect(
        grouping.filter((label) => !known.includes(label)),
        expression,
      ).toEqual([]);
    }
  });

  it('show every metric of the service', () => {
    const shown = new Set(queries.flatMap((query) => askedBy(query).metrics.map(({ name }) => name)));
    const unshown = [...labelsOf.keys()]
      .filter((name) => name.startsWith('carillon_'))
      .filter((name) => !shown.has(name) && !shown.has(name.replace(/_(count|sum)$/, '_bucket')));
    expect(unshown).toEqual([]);
  });

  it('select values that exist', async () => {
    const { body } = await service.request('GET', '/metrics', { key: null });
    const exposed = (label: string): string[] => [
      ...new Set(
        [...String(body).matchAll(new RegExp(`[{,]${label}="([^"]*)"`, 'g'))].map(([, value = '']) => value),
      ),
    ];
    const outcomes: Record<Outcome['kind'], true> = {
      ...{ accepted: true, retry: true, throttled: true, rejected: true },
      ...{ suppress: true, broken: true, ambiguous: true },
    };
    const operations = allRoutes(service.services).map(({ operation }) => operation);
    const values: Record<string, string[]> = {
      lane: exposed('lane'),
      kind: exposed('kind'),
      outcome: Object.keys(outcomes),
      operation: operations,
      provider_kind: ['sandbox', 'webhook'],
      status: ['5..', '[45]..'],
      job: ['$job'],
    };
    for (const expression of [...queries, ...rules.map(({ expr }) => expr)])
      for (const { matchers } of askedBy(expression).metrics)
        for (const { label, values: wanted } of matchers)
          expect(values[label], `${label} in ${expression}`).toEqual(expect.arrayContaining(wanted));
  });
});

test('a renamed metric or label, and a typing error, would be found', () => {
  const { metrics, grouping } = askedBy(
    'sum by (lane) (rate(a_total{kind=~"x|y", lane!="z"}[5m])) / on (job) b',
  );
  expect(metrics).toEqual([
    {
      name: 'a_total',
      matchers: [
        { label: 'kind', values: ['x', 'y'] },
        { label: 'lane', values: ['z'] },
      ],
    },
    { name: 'b', matchers: [] },
  ]);
  expect(grouping).toEqual(['lane', 'job']);
  expect(askedBy('sum by (lane) (rate(a_total[5m])').hasErrors).toBe(true);
});

test('there are six alerts, and the runbook has a section for each', () => {
  expect(rules).toHaveLength(6);
  const [, file, ...sections] = [
    ...rules
      .map(({ annotations }) => annotations.runbook_url)
      .join('\n')
      .matchAll(/\/blob\/main\/(.*?)#/g),
  ].map(([, path]) => path);
  expect(new Set([file, ...sections]).size).toBe(1);
  const headings = [...read(file ?? '').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  for (const { alert, annotations, labels } of rules) {
    expect(headings).toContain(alert);
    expect(annotations.runbook_url).toMatch(new RegExp(`#${alert.toLowerCase()}$`));
    expect(['critical', 'warning']).toContain(labels.severity);
  }
  expect(headings.filter((heading) => heading?.startsWith('Carillon'))).toEqual(
    rules.map(({ alert }) => alert),
  );
});

const promtool = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'promtool'))
  .find((path) => existsSync(path));

test.skipIf(!promtool)(
  'promtool finds that each alert fires when it should (Debian: apt-get install prometheus)',
  () => {
    const run = spawnSync(promtool ?? '', ['test', 'rules', 'deploy/monitoring/prometheus-rules.test.yaml'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(run.stdout + run.stderr).toContain('SUCCESS');
    expect(run.status).toBe(0);
  },
);
