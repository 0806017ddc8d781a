import { describeSettings } from '../../server/src/config.ts';

type Schema = Record<string, unknown>;

/** Set by the chart or the image: another value would disagree with the ports and volumes of the pods. */
const setByChart = [
  ...['CARILLON_ROLES', 'CARILLON_DATA_DIR', 'PORT'],
  ...['CARILLON_SMTP_PORT', 'CARILLON_SMTP_TLS_CERT', 'CARILLON_SMTP_TLS_KEY', 'CARILLON_SMTP_PLAINTEXT'],
];

const anyObject: Schema = { type: 'object' };
const count: Schema = { type: 'integer', minimum: 1 };
const labels: Schema = { type: 'object', additionalProperties: { type: 'string' } };
const list: Schema = { type: 'array', items: anyObject };
const countOrShare: Schema = { anyOf: [count, { type: 'string', pattern: '^\\d+%$' }] };

/** What values.yaml cannot tell about a value, by its path; `*` is one name. */
const exceptions: Record<string, Schema> = {
  config: settingsSchema(),
  'image.pullPolicy': { enum: ['Always', 'IfNotPresent', 'Never'] },
  'image.repository': { type: 'string', minLength: 1 },
  existingSecret: { type: 'string', minLength: 1 },
  '*.type': { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
  'database.cloudNativePG.parameters': labels,
  'ingress.hiddenPaths': { type: 'array', items: { type: 'string', pattern: '^/' } },
  '*.podDisruptionBudget.maxUnavailable': countOrShare,
  '*.resources': anyObject,
  'monitoring.*.labels': labels,
  podLabels: labels,
  podAnnotations: labels,
  podSecurityContext: anyObject,
  securityContext: anyObject,
  preStopSeconds: { type: 'integer', minimum: 0 },
  terminationGracePeriodSeconds: { type: 'integer', minimum: 21 }, // the drain takes 15 s, preStop 5 s
};

/** Derived from values.yaml, so that every value that is documented there is known, and no other. */
export function valuesSchema(values: Record<string, unknown>): Schema {
  const schema = schemaOf(values, '');
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the Carillon chart',
    ...schema,
    // Helm adds it when the chart is part of another.
    properties: { ...(schema.properties as Schema), global: anyObject },
  };
}

function schemaOf(value: unknown, path: string): Schema {
  const exception = Object.entries(exceptions).find(([pattern]) =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '\\w+')}$`).test(path),
  );
  if (exception) return exception[1];
  if (Array.isArray(value)) return list;
  if (typeof value === 'number') return count;
  if (typeof value !== 'object' || value === null) return { type: typeof value };
  const entries = Object.entries(value);
  if (entries.length === 0) return anyObject;
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      entries.map(([name, each]) => [name, schemaOf(each, path ? `${path}.${name}` : name)]),
    ),
  };
}

function settingsSchema(): Schema {
  const settings = describeSettings().filter(({ name, isSecret }) => !isSecret && !setByChart.includes(name));
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      settings.map(({ name, meaning }) => [name, { type: 'string', description: meaning }]),
    ),
  };
}
