import { Type } from 'typebox';
import type { Deps } from '../deps.ts';
import { Problem } from '../kernel/errors.ts';
import { Incident, type PublicIncidents } from './incident.ts';
import { openApiDocument } from './openapi.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { type Component, createReadiness } from './readiness.ts';
import { referencePage, referenceSecurityPolicy } from './reference.ts';
import { type Reply, type Route, route } from './route.ts';
import { DateTime, OneOf } from './schema.ts';

type OperationsDeps = Pick<Deps, 'pool' | 'contact' | 'queue' | 'scrape' | 'log' | 'clock' | 'publicUrl'>;

interface OperationsOptions {
  version: string;
  /** The whole table, these routes included; called when the first document is requested. */
  routes: () => Route[];
  /** True from the moment a stop was requested. */
  draining: () => boolean;
  /** Answers quickly, even while the database does not. */
  incidents: () => Promise<PublicIncidents>;
}

const tag = 'Operations';
const Health = Type.Object({ status: Type.String() });
const Ready = Type.Object({
  status: Type.String(),
  components: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean(), detail: Type.String() })),
});
const Status = Type.Object({
  status: OneOf(['operational', 'degraded'], {
    description: 'degraded: a component is failing, or an incident is active.',
  }),
  version: Type.String(),
  time: DateTime,
  checked_at: Type.String({ format: 'date-time', description: 'Same as time.' }),
  components: Type.Array(Type.Object({ name: Type.String(), status: OneOf(['operational', 'degraded']) })),
  active_incidents: Type.Array(Incident, { description: 'At most 20, newest first.' }),
  recent_incidents: Type.Array(Incident, {
    description: 'Resolved in the last 14 days; at most 20, newest first.',
  }),
});
const asText = (contentMediaType: string) => Type.String({ contentMediaType });
const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** The public routes for operators and load balancers; they contain no tenant's data. */
export function operationRoutes(deps: OperationsDeps, options: OperationsOptions): Route[] {
  const readiness = createReadiness(deps, options.draining);
  const document = once(
    (): OpenApiDocument => ({
      ...openApiDocument(options.routes(), options.version),
      servers: [{ url: deps.publicUrl() }],
    }),
  );
  const page = once(() => referencePage(document()));

  return [
    route({
      method: 'GET',
      path: '/healthz',
      operation: 'getHealth',
      tag,
      summary: 'Check that the process is alive',
      description:
        'Responds while the process runs, also during shutdown. Restart the process if it does not respond, or if it returns 503: then it has lost its database for good.',
      access: 'public',
      responses: { 200: Health },
      handler() {
        if (!deps.contact.hasGivenUp()) return { status: 200, body: { status: 'ok' } };
        throw new Problem(
          'temporarily_unavailable',
          'The process has lost its database and must be restarted.',
        );
      },
    }),
    route({
      method: 'GET',
      path: '/readyz',
      operation: 'getReadiness',
      tag,
      summary: 'Check that the process is ready',
      description:
        'Checks that the database responds and can be written to, no write is older than 5 seconds, all migrations are applied and the queue is alive. Returns 503 otherwise, and during shutdown; `components` shows the failing part.',
      access: 'public',
      responses: { 200: Ready },
      handler: async () => readinessReply(await readiness()),
    }),
    route({
      method: 'GET',
      path: '/status',
      operation: 'getStatus',
      tag,
      summary: 'Get the public status',
      description:
        'The state of the service and recent incidents. A provider outage opens an incident if it affects more than one tenant; the operator can open others. The response never names a tenant.',
      access: 'public',
      responses: { 200: Status },
      handler: async () => {
        const [checked, { active, recent }] = await Promise.all([readiness(), options.incidents()]);
        const time = new Date(deps.clock()).toISOString();
        return {
          status: 200,
          body: {
            status: statusOf(active.length === 0 && checked.every(({ ok }) => ok)),
            version: options.version,
            time,
            checked_at: time,
            components: checked.map(({ name, ok }) => ({ name, status: statusOf(ok) })),
            active_incidents: active,
            recent_incidents: recent,
          },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      operation: 'getMetrics',
      tag,
      summary: 'Get Prometheus metrics',
      access: 'public',
      responses: { 200: asText('text/plain') },
      handler: async () => ({ status: 200, contentType: metricsType, body: await deps.scrape.text() }),
    }),
    route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'getOpenApi',
      tag,
      summary: 'Get the OpenAPI 3.1 document',
      access: 'public',
      responses: { 200: Type.Unsafe<object>({ type: 'object' }) },
      handler: () => ({ status: 200, body: document() }),
    }),
    route({
      method: 'GET',
      path: '/docs',
      operation: 'getReference',
      tag,
      summary: 'Get the API reference page',
      access: 'public',
      responses: { 200: asText('text/html') },
      handler: () => ({
        status: 200,
        contentType: 'text/html; charset=utf-8',
        headers: { 'content-security-policy': referenceSecurityPolicy },
        body: page(),
      }),
    }),
  ];
}

function readinessReply(components: Component[]): Reply {
  const failing = components.filter((component) => !component.ok);
  if (failing.length === 0) return { status: 200, body: { status: 'ready', components } };
  const reasons = failing.map((component) => `${component.name} ${component.detail}`).join('; ');
  const problem = new Problem('temporarily_unavailable', `Not ready: ${reasons}.`);
  return { status: problem.status, body: { ...problem.toBody(), status: 'not_ready', components } };
}

function statusOf(ok: boolean): 'operational' | 'degraded' {
  return ok ? 'operational' : 'degraded';
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
