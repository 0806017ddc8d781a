import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.d.ts';
import type { Service } from 'kubernetes-types/core/v1.d.ts';
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { defaultDrainMs } from '../../server/src/app.ts';
import { describeSettings, loadConfig } from '../../server/src/config.ts';
import { workerRoutes } from '../../server/src/routes.ts';
import { chartFolder, type Manifest, manifestsOf, renderChart } from '../generate/chart.ts';
import { cases } from './chart-cases.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const release = { name: 'acme', namespace: 'default', service: 'Helm' };
type Values = Parameters<typeof renderChart>[1];
const rendered = (values?: Values): Manifest[] => manifestsOf(renderChart(release, values));
const plain = (name: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(root, 'deploy/kubernetes', name), 'utf8')).map((each) => each.toJS());
const renderedCases = new Map(Object.values(cases).map((values) => [values as Values, rendered(values)]));
const objectsOf = (values: Values): Manifest[] => renderedCases.get(values) ?? [];
const all = [...[...renderedCases.values()].flat(), ...plain('carillon.yaml'), ...plain('single.yaml')];
const ofKind = <Kind>(kind: string, objects: Manifest[]): Kind[] =>
  objects.filter((object) => object.kind === kind) as Kind[];
const containersOf = (object: Deployment) => object.spec?.template.spec?.containers ?? [];
const workloads = [...ofKind<Deployment>('Deployment', all), ...ofKind<Deployment>('StatefulSet', all)];

const schema = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8'));
const accepts = new Ajv({ strict: false }).compile(schema);
const defaults = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8'));

test('every combination of values renders objects with unique names and without leftovers', () => {
  for (const [name, values] of Object.entries(cases)) {
    const objects = objectsOf(values);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size, name).toBe(names.length);
    const own = objects.filter(
      ({ kind, metadata }) => kind !== 'PrometheusRule' && !/-dashboard$/.test(metadata.name),
    );
    expect(JSON.stringify(own), name).not.toMatch(/\{\{|<no value>|%!|undefined/);
    for (const { metadata } of objects) expect(metadata.name, name).toMatch(/^[a-z][a-z0-9-]{0,62}$/);
  }
});

test('a volume with a database keeps its modes when it is mounted again', () => {
  const policies = ofKind<StatefulSet>('StatefulSet', all).map(
    ({ spec }) => spec?.template.spec?.securityContext?.fsGroupChangePolicy,
  );
  expect(policies).toEqual(['OnRootMismatch']);
});

test('the objects are those that the values ask for', () => {
  const kinds = (values: Values) =>
    [...new Set(objectsOf(values).map(({ kind }) => kind))].sort((a, b) => a.localeCompare(b));
  const always = ['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service'];
  expect(kinds(cases.defaults)).toEqual([...always, 'HorizontalPodAutoscaler'].sort());
  expect(kinds(cases.everything)).toEqual(
    [...always, 'Cluster', 'HorizontalPodAutoscaler', 'Ingress', 'PrometheusRule', 'ServiceMonitor'].sort(),
  );
  expect(kinds(cases.minimal)).toEqual(['ConfigMap', 'Deployment', 'Service']);
});

test('Kubernetes knows every field of every object', () => {
  const modules: Record<string, string> = {
    'v1/Service': 'core/v1',
    'v1/ConfigMap': 'core/v1',
    'apps/v1/Deployment': 'apps/v1',
    'apps/v1/StatefulSet': 'apps/v1',
    'autoscaling/v2/HorizontalPodAutoscaler': 'autoscaling/v2',
    'policy/v1/PodDisruptionBudget': 'policy/v1',
    'networking.k8s.io/v1/Ingress': 'networking/v1',
  };
  const custom = /^(monitoring\.coreos\.com|postgresql\.cnpg\.io)\/v1$/;
  const lines = all
    .filter(({ apiVersion }) => !custom.test(apiVersion))
    .map((object, index) => {
      const module = modules[`${object.apiVersion}/${object.kind}`];
      expect(module, `${object.apiVersion} ${object.kind}`).toBeDefined();
      return `export const o${index}: import('kubernetes-types/${module}').${object.kind} = ${JSON.stringify(object)};`;
    });
  expect(typeErrors(lines.join('\n'))).toBe('');
  expect(typeErrors(lines.join('\n').replace('readinessProbe', 'readynessProbe'))).toContain(
    'readynessProbe',
  );
});

/** An object that is written where its type is known may not have fields that the type does not. */
function typeErrors(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-manifests-'));
  try {
    writeFileSync(join(folder, 'manifests.ts'), source);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', module: 'esnext' },
      ...{ moduleResolution: 'bundler', types: [] },
      paths: { 'kubernetes-types/*': [`${root}node_modules/kubernetes-types/*`] },
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['manifests.ts'] }),
    );
    const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
    return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('every environment variable is a setting of the service', () => {
  const known = new Set(describeSettings().map(({ name }) => name));
  const configMaps = ofKind<Manifest & { data: Record<string, string> }>('ConfigMap', all).filter(
    ({ metadata }) => !metadata.name.endsWith('-dashboard'),
  );
  const names = [
    ...workloads.flatMap((each) => containersOf(each).flatMap(({ env = [] }) => env.map(({ name }) => name))),
    ...configMaps.flatMap(({ data }) => Object.keys(data)),
  ].filter((name) => name !== 'NODE_EXTRA_CA_CERTS'); // an example of extraEnv
  expect(new Set(names).size).toBeGreaterThan(5);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});

test('the service accepts the settings that the chart makes from the values', () => {
  for (const [name, values] of Object.entries(cases)) {
    const objects = objectsOf(values);
    const [map] = ofKind<Manifest & { data: Record<string, string> }>('ConfigMap', objects);
    for (const deployment of ofKind<Deployment>('Deployment', objects)) {
      const env = containersOf(deployment)[0]?.env ?? [];
      const given = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
      const config = loadConfig({ ...map?.data, ...Object.fromEntries(given) }, tmpdir());
      expect(config.CARILLON_ROLES, name).toHaveLength(1);
    }
  }
});

test('secrets come from existing Secrets, and pods without them do not start', () => {
  expect(all.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  const secretNames = describeSettings().filter(({ isSecret }) => isSecret);
  for (const { name } of secretNames) expect(schema.properties.config.properties).not.toHaveProperty(name);
  const sources = (values: Values) => {
    const [api] = ofKind<Deployment>('Deployment', objectsOf(values));
    const env = api ? (containersOf(api)[0]?.env ?? []) : [];
    return Object.fromEntries(
      env.flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef ? [[name, valueFrom.secretKeyRef]] : [])),
    );
  };
  expect(sources(cases.defaults)).toEqual({
    DATABASE_URL: { name: 'carillon', key: 'DATABASE_URL' },
    CARILLON_ENCRYPTION_KEY: { name: 'carillon', key: 'CARILLON_ENCRYPTION_KEY' },
  });
  expect(sources(cases.outsideDatabase)).toMatchObject({ DATABASE_URL: { name: 'my-db-app', key: 'uri' } });
  expect(sources(cases.everything)).toMatchObject({
    DATABASE_URL: { name: 'acme-carillon-db-app', key: 'uri' },
  });
});

test('pods have longer to stop than the service takes, and stay out of rotation until they are ready', () => {
  const [healthz, readyz] = operationPaths();
  for (const workload of workloads) {
    const pod = workload.spec?.template.spec;
    const [container] = containersOf(workload);
    const preStop = Number(container?.lifecycle?.preStop?.exec?.command?.[1]);
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(defaultDrainMs / 1000 + preStop);
    expect(container?.startupProbe?.httpGet?.path).toBe(healthz);
    expect(container?.livenessProbe?.httpGet?.path).toBe(healthz);
    expect(container?.readinessProbe?.httpGet?.path).toBe(readyz);
  }
});

test('SMTP in has a port of the API alone, with a certificate or within the cluster', () => {
  const settingsOf = (values: Values, role: string) => {
    const deployment = ofKind<Deployment>('Deployment', objectsOf(values)).find(
      ({ spec }) => spec?.template.metadata?.labels?.['app.kubernetes.io/component'] === role,
    );
    const [container] = deployment ? containersOf(deployment) : [];
    const env = (container?.env ?? []).filter(({ name }) => name.startsWith('CARILLON_SMTP'));
    return { env: Object.fromEntries(env.map(({ name, value }) => [name, value])), ports: container?.ports };
  };
  const ports = [
    { name: 'http', containerPort: 8400 },
    { name: 'smtp', containerPort: 2525 },
  ];
  expect(settingsOf(cases.everything, 'api')).toEqual({
    ports,
    env: {
      CARILLON_SMTP_PORT: '2525',
      CARILLON_SMTP_TLS_CERT: '/smtp-tls/tls.crt',
      CARILLON_SMTP_TLS_KEY: '/smtp-tls/tls.key',
    },
  });
  expect(settingsOf(cases.smtpInTheCluster, 'api')).toEqual({
    ports,
    env: { CARILLON_SMTP_PORT: '2525', CARILLON_SMTP_PLAINTEXT: 'all' },
  });
  for (const values of [cases.defaults, cases.everything])
    expect(settingsOf(values, 'worker')).toEqual({ ports: ports.slice(0, 1), env: {} });
});

test('ports and paths are those that the service serves', () => {
  const { PORT } = loadConfig({}, tmpdir());
  for (const workload of workloads)
    expect(containersOf(workload)[0]?.ports?.[0]).toEqual({ name: 'http', containerPort: PORT });
  for (const service of ofKind<Service>('Service', all))
    for (const port of service.spec?.ports ?? []) {
      expect(port.name).toBe(/-smtp$/.test(service.metadata?.name ?? '') ? 'smtp' : 'http');
      if (service.spec?.selector) expect(port.targetPort).toBe(port.name);
    }
  const monitors = ofKind<{ spec: { endpoints: { path: string }[] } }>('ServiceMonitor', all);
  expect(monitors.length).toBeGreaterThan(0);
  for (const { spec } of monitors) expect(spec.endpoints[0]?.path).toBe('/metrics');
  // What workers serve is for operators, and all of it is hidden from the public.
  expect([...defaults.ingress.hiddenPaths].sort()).toEqual(operationPaths().sort());
});

/** The paths of a process without the API: /healthz, /readyz, /metrics. */
function operationPaths(): string[] {
  const anything: object = new Proxy(() => {}, { get: () => anything });
  return workerRoutes(anything as Parameters<typeof workerRoutes>[0], { draining: () => false }).map(
    ({ path }) => path,
  );
}

test('selectors find the pods of their own component', () => {
  for (const values of Object.values(cases)) {
    const objects = objectsOf(values);
    const podLabels = ofKind<Deployment>('Deployment', objects).map(
      ({ spec }) => spec?.template.metadata?.labels ?? {},
    );
    const selectors = objects.flatMap((object) => {
      const { spec } = object as { spec?: { selector?: Record<string, unknown> } };
      if (!spec?.selector || object.kind === 'ServiceMonitor') return [];
      return [(spec.selector.matchLabels ?? spec.selector) as Record<string, string>];
    });
    for (const selector of selectors) {
      const found = podLabels.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      );
      expect(found).toHaveLength(1);
    }
  }
});

test('pods run without privileges on a root file system that cannot be written', () => {
  for (const workload of workloads) {
    const pod = workload.spec?.template.spec;
    const [container] = containersOf(workload);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false, // Kubernetes would add variables that begin with the name of the service
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(
      expect.arrayContaining(['/data', '/tmp']),
    );
  }
});

test('an ingress leads to the API, and its address becomes the public URL', () => {
  const objects = objectsOf(cases.everything);
  const [ingress] = ofKind<Ingress>('Ingress', objects);
  const paths = ingress?.spec?.rules?.[0]?.http?.paths ?? [];
  expect(paths.at(-1)).toMatchObject({ path: '/', backend: { service: { name: 'acme-carillon' } } });
  const services = ofKind<Service>('Service', objects);
  for (const { backend } of paths)
    expect(services.map(({ metadata }) => metadata?.name)).toContain(backend.service?.name);
  expect(services.find(({ metadata }) => metadata?.name === 'acme-carillon-none')?.spec?.selector).toBe(
    undefined,
  );
  const [map] = ofKind<Manifest & { data: Record<string, string> }>('ConfigMap', objects);
  expect(map?.data).toMatchObject({
    PUBLIC_URL: 'https://notify.example.com',
    CARILLON_RETENTION_DAYS: '90',
  });
  expect(() => rendered({ ingress: { enabled: true } })).toThrow('ingress.host is required');
});

test('the schema of the values accepts the defaults and every case', () => {
  for (const values of [defaults, ...Object.values(cases)]) {
    accepts(values);
    expect(accepts.errors).toBe(null);
  }
});

test.each([
  ['a misspelt name', { api: { replica: 3 } }],
  ['a misspelt setting', { config: { CARILLON_RETENTION_DAY: '90' } }],
  ['a secret among the settings', { config: { DATABASE_URL: 'postgresql://…' } }],
  ['a number as a setting', { config: { CARILLON_RETENTION_DAYS: 90 } }],
  ['a setting that the chart sets itself', { config: { CARILLON_ROLES: 'api' } }],
  ['a grace period shorter than the drain', { terminationGracePeriodSeconds: 15 }],
  ['a word where a number belongs', { worker: { replicas: 'two' } }],
])('the schema of the values refuses %s', (_what, values) => {
  expect(accepts(values)).toBe(false);
});
