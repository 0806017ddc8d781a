import {
  startTestApp,
  type TestApp,
  type TestAppOptions,
  type TestResponse,
  waitUntil,
} from '../../../../test/harness/app.ts';

type Body = TestResponse['body'];

/** Shared helpers for tests of workflows. */
export interface Workflows extends TestApp {
  /** Creates the workflow if it is missing, adds a version with these steps, and activates it. */
  define(key: string, steps: object[], schema?: object): Promise<void>;
  trigger(key: string, data?: object, headers?: Record<string, string>): Promise<string>;
  run(id: string): Promise<Body>;
  /** Polls until the run satisfies the condition; fails after the deadline with the last state of the run. */
  runUntil(id: string, condition: (run: Body) => boolean): Promise<Body>;
  /** Waits until the run has one of these statuses. */
  reaches(id: string, ...statuses: string[]): Promise<Body>;
  post(key: string, event: string, data?: object): Promise<number>;
  postToRun(id: string, event: string, data?: object): Promise<number>;
  notifications(): Promise<Body[]>;
}

const deadlineMs = 30_000;

export async function startWorkflows(options: TestAppOptions = {}): Promise<Workflows> {
  return withWorkflows(await startTestApp(options));
}

export function withWorkflows(app: TestApp): Workflows {
  const ok = async (method: string, path: string, body?: unknown, headers = {}): Promise<Body> => {
    const answer = await app.request(method, path, { body, headers });
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const workflows: Workflows = {
    ...app,
    async define(key, steps, schema) {
      const found = await app.request('GET', `/v1/workflows/${key}`);
      if (found.status === 404) await ok('POST', '/v1/workflows', { key, name: key });
      const body = { ...(schema ? { trigger_data_schema: schema } : {}), steps };
      const { version } = await ok('POST', `/v1/workflows/${key}/versions`, { body });
      const { valid, errors } = await ok('POST', `/v1/workflows/${key}/versions/${version}/activate`);
      if (!valid) throw new Error(JSON.stringify(errors));
    },
    async trigger(key, data = {}, headers = {}) {
      return (await ok('POST', `/v1/workflows/${key}/trigger`, { trigger_data: data }, headers)).run_id;
    },
    run: (id) => ok('GET', `/v1/workflows/runs/${id}`),
    runUntil: (id, condition) =>
      waitUntil(async () => {
        const run = await workflows.run(id);
        return condition(run) ? run : new Error(`still ${JSON.stringify(run)}`);
      }, deadlineMs),
    reaches: (id, ...statuses) => workflows.runUntil(id, ({ status }) => statuses.includes(status)),
    async post(key, event, data = {}) {
      const body = { event_name: event, event_data: data };
      return (await ok('POST', `/v1/workflows/${key}/events`, body)).awoken_run_count;
    },
    async postToRun(id, event, data = {}) {
      const body = { event_name: event, event_data: data };
      return (await ok('POST', `/v1/workflows/runs/${id}/events`, body)).awoken_run_count;
    },
    async notifications() {
      return (await ok('GET', '/v1/notifications?limit=100')).data;
    },
  };
  return workflows;
}

/** A send step with a valid recipient. */
export function email(id: string, extra: object = {}): object {
  return {
    id,
    kind: 'send',
    channel: 'email',
    recipient: { address: 'delivered@sandbox.test' },
    subject: `${id} of {{ run.id }}`,
    text_body: 'It rings.',
    ...extra,
  };
}

/** A timeline in short form: `step:outcome`. */
export function shape(run: Body): string[] {
  return run.steps.map((step: Body) => `${step.step_id}:${step.outcome ?? step.status}`);
}
