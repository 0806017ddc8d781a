import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { type Functions, isTrue, printed, TemplateError, Templates, type Value } from './go-template.ts';

export const chartFolder = fileURLToPath(new URL('../helm/', import.meta.url));

interface Release {
  name: string;
  namespace: string;
  /** The program that applies it. */
  service: string;
}

type Fields = { [name: string]: Value };
/** An object of Kubernetes. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
}

export const text = (name: string): string => readFileSync(join(chartFolder, name), 'utf8');

/** The objects of the chart as text, by template; `NOTES.txt` included. Values are those of values.yaml with the given ones on top. */
export function renderChart(release: Release, values: Fields = {}): Record<string, string> {
  const templates = new Templates(functions);
  const names = readdirSync(join(chartFolder, 'templates')).sort();
  for (const name of names) templates.add(name, text(`templates/${name}`));
  const context = contextOf(release, values);
  return Object.fromEntries(
    names.filter((name) => !name.startsWith('_')).map((name) => [name, templates.render(name, context)]),
  );
}

/** What templates know. */
export function contextOf(release: Release, values: Fields): Fields {
  const chart = parse(text('Chart.yaml'));
  return {
    Values: merged(parse(text('values.yaml')), values),
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
    Release: { Name: release.name, Namespace: release.namespace, Service: release.service },
    Files: { Get: (name = null) => text(String(name)) },
  };
}

export function manifestsOf(rendered: Record<string, string>): Manifest[] {
  return Object.entries(rendered)
    .filter(([name]) => name.endsWith('.yaml'))
    .flatMap(([name, source]) =>
      parseAllDocuments(source).flatMap((document) => {
        const [problem] = [...document.errors, ...document.warnings];
        if (problem) throw new TemplateError(`${name}: ${problem.message}\n${source}`);
        const object = document.toJS() as Manifest | null;
        return object === null ? [] : [object];
      }),
    );
}

/** As Helm combines values: maps are merged, everything else is replaced, and null removes a value. */
function merged(below: Fields, above: Fields): Fields {
  const result = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const base = below[name] ?? null;
    if (value === null) delete result[name];
    else result[name] = isMap(base) && isMap(value) ? merged(base, value) : value;
  }
  return result;
}

function isMap(value: Value): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const indented = (width: Value, value: Value): string => {
  const margin = ' '.repeat(Number(width));
  return margin + printed(value).replaceAll('\n', `\n${margin}`);
};

/** Those of Helm and its library Sprig that the chart uses. */
const functions: Functions = {
  and: (...args) => args.find((arg) => !isTrue(arg)) ?? args.at(-1) ?? null,
  contains: (part, whole) => printed(whole ?? null).includes(printed(part ?? null)),
  default: (fallback = null, value = null) => (isTrue(value) ? value : fallback),
  dict: (...args) =>
    Object.fromEntries(
      args.flatMap((arg, index) => (index % 2 === 0 ? [[printed(arg), args[index + 1] ?? null]] : [])),
    ),
  div: (a, b) => Math.trunc(Number(a) / Number(b)),
  empty: (value = null) => !isTrue(value),
  gt: (a, b) => Number(a) > Number(b),
  int: (value) => Math.trunc(Number(value)),
  nindent: (width = 0, value = '') => `\n${indented(width, value)}`,
  not: (value = null) => !isTrue(value),
  printf: (format, ...args) => printed(format ?? null).replaceAll('%s', () => printed(args.shift() ?? null)),
  quote: (value = null) => JSON.stringify(printed(value)),
  replace: (from, to, value) => printed(value ?? null).replaceAll(printed(from ?? null), printed(to ?? null)),
  required: (message, value = null) => {
    if (value === null || value === '') throw new TemplateError(printed(message ?? null));
    return value;
  },
  sha256sum: (value) =>
    createHash('sha256')
      .update(printed(value ?? null))
      .digest('hex'),
  ternary: (whenTrue = null, whenFalse = null, condition = null) =>
    condition === true ? whenTrue : whenFalse,
  toYaml: (value) => stringify(value, { lineWidth: 0, sortMapEntries: true }).trimEnd(),
  trimSuffix: (suffix, value) => {
    const whole = printed(value ?? null);
    const end = printed(suffix ?? null);
    return whole.endsWith(end) ? whole.slice(0, whole.length - end.length) : whole;
  },
  trunc: (length, value) => printed(value ?? null).slice(0, Number(length)),
};
